import { create, fromBinary, getOption, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { name as aminoName } from '../gen/amino/amino_pb.ts'
import { QueryBaseFeeResponseSchema } from '../gen/chain/evm/v1/query_pb.ts'
import { files } from '../gen/files.ts'
import { http } from '../gen/google/api/annotations_pb.ts'
import { describeFiles } from './apply.ts'
import { createIdentity } from './identity.ts'
import { almanac, profile } from './profiles/almanac.ts'
import { nibiru } from './profiles/nibiru.ts'

const other = createIdentity({
  ...profile,
  name: 'other',
  names: {
    packages: { 'chain.evm': 'eth.evm', chain: 'brand', sdk: 'cosmos' },
    paths: { '/chain': '/brand', '/sdk': '/cosmos' },
    amino: {},
    fields: { base_fee_unative: 'base_fee_ubrand' },
  },
})

test('a profile that renames nothing returns the files unchanged', () => {
  const neutral = { ...profile, names: { packages: {}, paths: {}, amino: {}, fields: {} } }
  expect(describeFiles(createIdentity(neutral))).toBe(files)
})

test('a profile renames packages, files, types, paths and fields, and the wire format stays the same', () => {
  const described = describeFiles(other)
  expect(described.length).toBe(files.length)
  const evm = described.find(({ proto }) => proto.name === 'eth/evm/v1/query.proto')!
  const baseFee = evm.services[0]!.method['baseFee']!
  expect(baseFee.parent.typeName).toBe('eth.evm.v1.Query')
  expect(getOption(baseFee, http).pattern.value).toBe('/brand/evm/v1/base_fee')
  expect(baseFee.output.fields.map(({ name }) => name)).toEqual(['base_fee', 'base_fee_ubrand'])
  const bytes = toBinary(QueryBaseFeeResponseSchema, create(QueryBaseFeeResponseSchema, { baseFeeUnative: '7' }))
  expect(fromBinary(baseFee.output, bytes)).toMatchObject({ baseFeeUbrand: '7' })
  const oracle = described.find(({ proto }) => proto.package === 'brand.oracle.v1beta1' && proto.service.length > 0)!
  const vote = oracle.services[0]!.method['aggregateVote']!
  const { pattern, additionalBindings } = getOption(vote, http)
  expect(pattern.value).toContain('/brand/oracle/v1beta1/validators/')
  expect(additionalBindings[0]!.pattern.value).toContain('/brand/oracle/v1beta1/valdiators/')
  expect(described.map(({ proto }) => proto.package)).toContain('chain.errors.v1')
})

test('types with the names of the family have its paths and amino names, others those of the profile', () => {
  const optionsOf = (described: ReturnType<typeof describeFiles>, name: string) => {
    const file = described.find(({ proto }) => proto.name === name)!
    return {
      paths: file.services.flatMap(({ methods }) => methods.map((method) => getOption(method, http).pattern.value)),
      amino: file.messages.map((message) => getOption(message, aminoName)).filter((found) => found !== ''),
    }
  }
  for (const described of [describeFiles(almanac), describeFiles(createIdentity(nibiru))]) {
    expect(optionsOf(described, 'cosmos/bank/v1beta1/query.proto').paths).toContain('/cosmos/bank/v1beta1/params')
    expect(optionsOf(described, 'cosmos/bank/v1beta1/tx.proto').amino).toContain('cosmos-sdk/MsgSend')
    expect(optionsOf(described, 'cosmos/gov/v1/tx.proto').amino).toContain('cosmos-sdk/v1/MsgVote')
  }
  const own = describeFiles(almanac)
  expect(optionsOf(own, 'chain/devgas/v1/query.proto').paths).toContain('/chain/devgas/v1/params')
  expect(optionsOf(own, 'chain/tokenfactory/v1/tx.proto').amino).toContain('chain/tokenfactory/mint')
  const theirs = describeFiles(createIdentity(nibiru))
  expect(optionsOf(theirs, 'nibiru/tokenfactory/v1/tx.proto').amino).toContain('nibiru/tokenfactory/mint')
})
