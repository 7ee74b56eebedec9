import { expect, test } from 'vitest'
import type { AccessList } from '../../../evm/transaction/types.ts'
import { encodeUint, formatHex, hex } from '../../../primitives/bytes.ts'
import { testContext } from '../../../sdk/testing.ts'
import { localnetGenesis } from '../development/localnet.ts'
import { evm } from '../index.ts'
import { createAccessList } from './access-list.ts'
import { readCallArgs, readStateOverrides } from './call-args.ts'
import { callSetup } from './call-setup.ts'

const TARGET = `0x${'11'.repeat(20)}`
const OTHER = '22'.repeat(20)

/** Returns the list of a call of code, as `address: slots`. */
function listOf(code: string, other = '00', accessList: AccessList = []): string[] {
  const ctx = testContext({ modules: [evm] })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  const stateOverrides = readStateOverrides({ [TARGET]: { code: `0x${code}` }, [`0x${OTHER}`]: { code: `0x${other}` } })
  const args = { ...readCallArgs({ to: TARGET }), accessList }
  const { accessList: found, vmError } = createAccessList(callSetup(ctx, { stateOverrides }), args, 1_000_000n)
  expect(vmError).toBe('')
  return found.map(
    ({ address, storageKeys }) =>
      `${formatHex(address)}: ${storageKeys.map((key) => BigInt(`0x${formatHex(key)}`)).join()}`,
  )
}

test('an access list contains the accounts that opcodes read or call, and the slots they read or write', () => {
  const call = `5f5f5f5f5f73${OTHER}5af150`
  expect(listOf(`${call}60015400`, '600560025500')).toEqual([`${OTHER}: 2`, `${TARGET.slice(2)}: 1`])
  for (const look of ['31', '3b', '3f']) expect(listOf(`73${OTHER}${look}00`)).toEqual([`${OTHER}: `])
  // Sender, target, coinbase and precompiles are warm anyway.
  expect(listOf('333b303b413b60043b00')).toEqual([])
})

test('the entries of the call’s own list stay, as in geth', () => {
  const given = [{ address: new Uint8Array(20).fill(0x22), storageKeys: [encodeUint(9n, 32)] }]
  expect(listOf(`5f5f5f5f5f73${OTHER}5af100`, '600560025500', given)).toEqual([`${OTHER}: 9,2`])
  expect(listOf('00', '00', given)).toEqual([`${OTHER}: 9`])
})

test('a created account is warm, so that only its slots are listed', () => {
  // Creates an account whose init code does nothing, and one whose init code writes slot 1.
  expect(listOf('5f5f5ff000')).toEqual([])
  const [made] = listOf('6460016001555f526005601b5ff000')
  expect(made).toMatch(/^[0-9a-f]{40}: 1$/)
})

test('a call of a chain precompile lists the accesses of the contracts that it calls, not its own', () => {
  // whoAmI of the zero address calls no contract.
  const data = hex(
    `7d2a8b4e${formatHex(encodeUint(32n, 32))}${formatHex(encodeUint(42n, 32))}${Buffer.from(`0x${'00'.repeat(20)}`).toString('hex')}`,
  )
  let code = ''
  for (let i = 0; i < data.length; i += 32) {
    const word = formatHex(data.subarray(i, i + 32)).padEnd(64, '0')
    code += `7f${word}61${i.toString(16).padStart(4, '0')}52`
  }
  expect(listOf(`${code}5f5f60a05f5f6108005af100`)).toEqual([])
})
