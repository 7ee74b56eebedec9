/** The environment that opcodes read, in the interpreter's encoding. It is encoded once per rules and once per block. */
import { cachePerObject } from '../primitives/cache.ts'
import { maxInitCodeSize, type Rules } from './forks.ts'
import type { Environment } from './interpreter.ts'
import { encodeOpcodes } from './opcodes.ts'
import { pricesOf } from './prices.ts'
import type { EvmBlockEnv, EvmOptions } from './types.ts'
import { writeAddress, writeNumber } from './words.ts'

type RulesPart = Pick<Environment, 'rulesKey' | 'opcodes' | 'cells'>

const blockParts = new WeakMap<EvmBlockEnv, { readonly rules: Rules; readonly words: Uint8Array }>()

const rulesPartOf = cachePerObject((rules: Rules): RulesPart => {
  const { eips } = rules
  return {
    rulesKey: `${[...eips].sort((a, b) => a - b).join()}:`,
    opcodes: encodeOpcodes(rules),
    cells: Uint32Array.of(
      eips.has(160) ? 50 : 10,
      pricesOf(rules).sstoreSentry,
      eips.has(150) ? 1 : 0,
      eips.has(3860) ? maxInitCodeSize(rules) : 0,
    ),
  }
})

/** Returns the eight words of a block in the order of `evm/layout.ts`. */
function blockWordsOf(rules: Rules, block: EvmBlockEnv): Uint8Array {
  const known = blockParts.get(block)
  if (known?.rules === rules) return known.words
  const words = new Uint8Array(8 * 32)
  const view = new DataView(words.buffer)
  writeAddress(words, 0, block.coinbase)
  writeNumber(view, 32, block.timestamp)
  writeNumber(view, 2 * 32, block.number)
  if (rules.eips.has(4399)) words.set(block.prevRandao.slice().reverse(), 3 * 32)
  else writeNumber(view, 3 * 32, block.difficulty)
  const numbers = [block.gasLimit, block.chainId, block.baseFee, block.blobBaseFee]
  numbers.forEach((value, i) => {
    writeNumber(view, (4 + i) * 32, value)
  })
  blockParts.set(block, { rules, words })
  return words
}

export function environmentOf({ rules, block, tx }: EvmOptions): Environment {
  const { rulesKey, opcodes, cells } = rulesPartOf(rules)
  const { origin, gasPrice } = tx
  return { rulesKey, opcodes, cells, block: blockWordsOf(rules, block), origin, gasPrice }
}
