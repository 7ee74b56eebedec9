import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { create2Address, createAddress } from '../../../../evm/contract-address.ts'
import { decodeTransaction } from '../../../../evm/transaction/decode.ts'
import { encodeTransaction } from '../../../../evm/transaction/encode.ts'
import { recoverSender } from '../../../../evm/transaction/sender.ts'
import { formatHex0x, hex } from '../../../../primitives/bytes.ts'
import { keccak256 } from '../../../../primitives/hash.ts'
import { BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE } from '../../beacon-roots.ts'
import { CREATE2_DEPLOYER_CODE } from '../create2-deployer.ts'
import { CREATE_X_ADDRESS, CREATE_X_CODE } from './create-x.ts'
import { ENTRY_POINT_ADDRESS, ENTRY_POINT_CODE } from './entry-point.ts'
import { ERC1820_REGISTRY_ADDRESS, ERC1820_REGISTRY_CODE } from './erc1820-registry.ts'
import { permit2Code, predeployedAccounts } from './predeploys.ts'
import { SENDER_CREATOR_ADDRESS, SENDER_CREATOR_CODE } from './sender-creator.ts'

interface Recorded {
  readonly address: string
  readonly codeHash: string
  readonly storage: readonly (readonly [slot: string, value: string])[]
  readonly creation: {
    readonly transaction: string
    readonly deployer: string
    readonly salt: string
    readonly code: string
  }
}

const recordOf = (name: string): Recorded =>
  JSON.parse(
    readFileSync(new URL(`../../../../../contracts/predeploys/${name}.json`, import.meta.url), 'utf8'),
  ) as Recorded
const bytes = (text: string): Uint8Array => hex(text.slice(2))
const hashOf = (code: Uint8Array): string => formatHex0x(keccak256(code))

test('the code has the hashes of Ethereum', () => {
  expect(hashOf(CREATE_X_CODE)).toBe('0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f')
  expect(hashOf(ENTRY_POINT_CODE)).toBe('0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58')
  expect(hashOf(SENDER_CREATOR_CODE)).toBe('0x283c9d14378f5f4c4e24045b87d621d48443fa5b4af7dd7180a599b3756a7689')
  expect(hashOf(permit2Code(1n))).toBe('0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131')
  expect(hashOf(BEACON_ROOTS_CODE)).toBe('0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c')
  expect(hashOf(CREATE2_DEPLOYER_CODE)).toBe('0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989')
})

test.each([
  ['CreateX', CREATE_X_ADDRESS, CREATE_X_CODE],
  ['ERC1820Registry', ERC1820_REGISTRY_ADDRESS, ERC1820_REGISTRY_CODE],
] as const)('%s is at the address that the signature of its creation determines', (name, address, code) => {
  const { creation, codeHash } = recordOf(name)
  const tx = decodeTransaction(bytes(creation.transaction))
  expect(createAddress(recoverSender(tx, { allowHighS: true }), tx.nonce)).toEqual(address)
  expect(codeHash).toBe(hashOf(code))
})

test('the entry point is at the address that its creation code determines, and its child at the one after', () => {
  const { creation, codeHash, storage } = recordOf('EntryPoint')
  const initCodeHash = keccak256(bytes(creation.code))
  expect(create2Address(bytes(creation.deployer), bytes(creation.salt), initCodeHash)).toEqual(ENTRY_POINT_ADDRESS)
  expect(createAddress(ENTRY_POINT_ADDRESS, 1n)).toEqual(SENDER_CREATOR_ADDRESS)
  expect(codeHash).toBe(hashOf(ENTRY_POINT_CODE))
  const account = predeployedAccounts(1n).find(({ code }) => hashOf(hex(code)) === codeHash)!
  expect(account.storage.map(({ key, value }) => [key, BigInt(value)])).toEqual(
    storage.map(([slot, value]) => [slot, BigInt(value)]),
  )
})

test('the beacon roots contract is at the address of the keyless transaction of EIP-4788', () => {
  const signature = { r: 0x539n, s: 0x1b9b6eb1f0n, yParity: 0 } as const
  const raw = encodeTransaction({
    type: 0,
    chainId: undefined,
    nonce: 0n,
    gasLimit: 0x3d090n,
    gasPriceWei: 0xe8d4a51000n,
    to: undefined,
    valueWei: 0n,
    data: hex(`60618060095f395ff3${formatHex0x(BEACON_ROOTS_CODE).slice(2)}`),
    signature,
  })
  const tx = decodeTransaction(raw)
  expect(createAddress(recoverSender(tx), 0n)).toEqual(BEACON_ROOTS_ADDRESS)
})
