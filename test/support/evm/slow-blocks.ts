/** Blocks of 60,000,000 gas that take long for their gas, as transactions for a running node. */
import { type Hex, toHex } from 'viem'
import { parseFork, rulesOf } from '../../../src/evm/forks.ts'
import { encodeCall } from '../../../src/modules/evm/calls/abi.ts'
import { EMPTY } from '../../../src/primitives/bytes.ts'
import { hostileInputs } from './hostile-precompiles.ts'
import { callOf, GAS_LEFT, programOf, push } from './loop-code.ts'

export interface SlowBlock {
  readonly name: string
  /** Code that spends its gas in a loop. */
  readonly code: Hex
  readonly data: Hex
}

const RESERVE = 60_000
const FUNTOKEN = 0x800

function slow(name: string, body: string, data: Uint8Array = EMPTY, times = 1): SlowBlock {
  return { name, code: toHex(programOf({ body: body.repeat(times), reserve: RESERVE })), data: toHex(data) }
}

/** Repeats the body as often as the reserve pays for. */
const unrolled = (name: string, body: string, times = 32): SlowBlock => slow(name, body, undefined, times)

/** Calls of standard precompiles with the inputs that take the most time for their gas. */
function precompileBlocks(names: readonly string[]): SlowBlock[] {
  const inputs = hostileInputs(rulesOf(parseFork('Osaka')!))
  return names.map((name) => {
    const found = inputs.find((input) => input.name === name)
    if (!found) throw new RangeError(`no input ${name}`)
    return slow(name, callOf(push(found.address, 2), GAS_LEFT, 'static'), found.input)
  })
}

/** Returns the blocks, those of standard precompiles first. */
export function slowBlocks(): readonly SlowBlock[] {
  const whoAmI = encodeCall('whoAmI(string)', [`0x${'b0'.repeat(20)}`])
  return [
    ...precompileBlocks([
      'bn254 add',
      'bls12-381 g1 msm, 1',
      'bls12-381 pairing, 1',
      'kzg point evaluation',
      'ecrecover',
      'p256',
    ]),
    unrolled('failing call of a standard precompile', callOf(push(4, 1), '5f', 'static')),
    unrolled('KECCAK256 of a word', '60205f2050'),
    unrolled('CALL of an empty account', callOf(`73${'c2'.repeat(20)}`, '5f')),
    unrolled('BLOCKHASH', '600143034050'),
    unrolled('TSTORE', '5a5f5d'),
    unrolled('LOG0', '5f5fa0'),
    unrolled('SSTORE of new slots', '5a5a55', 2),
    unrolled('CREATE', '5f5f5ff050', 1),
    slow('whoAmI of the FunToken precompile', callOf(push(FUNTOKEN, 2), GAS_LEFT), whoAmI),
  ]
}
