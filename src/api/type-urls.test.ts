import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { BaseAccountSchema } from '../gen/sdk/auth/v1beta1/auth_pb.ts'
import { QueryAccountsResponseSchema } from '../gen/sdk/auth/v1beta1/query_pb.ts'
import { PubKeySchema } from '../gen/sdk/crypto/secp256k1/keys_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { renameTypeUrls } from './type-urls.ts'

test('types within the accounts of a list are renamed at every depth, and an account that names none stays as it is', () => {
  const account = (address: string, withKey: boolean) => {
    const value = toBinary(PubKeySchema, create(PubKeySchema, { key: new Uint8Array(33) }))
    const pubKey = { typeUrl: `/${PubKeySchema.typeName}`, value }
    const content = create(BaseAccountSchema, { address, accountNumber: 7n, ...(withKey && { pubKey }) })
    return { typeUrl: `/${BaseAccountSchema.typeName}`, value: toBinary(BaseAccountSchema, content) }
  }
  const given = create(QueryAccountsResponseSchema, { accounts: [account('one', true), account('two', false)] })
  const family = { toName: (neutral: string) => `other.${neutral}` }
  const { accounts } = renameTypeUrls(almanac, family, QueryAccountsResponseSchema, given) as typeof given
  expect(accounts.map(({ typeUrl }) => typeUrl)).toEqual(Array(2).fill(`/other.${BaseAccountSchema.typeName}`))
  const [withKey, without] = accounts.map(({ value }) => fromBinary(BaseAccountSchema, value))
  expect(withKey).toMatchObject({ address: 'one', pubKey: { typeUrl: `/other.${PubKeySchema.typeName}` } })
  expect(without).toMatchObject({ address: 'two', accountNumber: 7n })
  expect(accounts[1]!.value).toEqual(given.accounts[1]!.value)
  expect(given.accounts[0]!.typeUrl).toBe(`/${BaseAccountSchema.typeName}`)
})
