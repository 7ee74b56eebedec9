/** The lines that Solidity prints with `console.log`: calls of an address without code, whose calldata contains the values. */
import type { Tracer } from '../../../evm/trace.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { decodeUint, formatHex0x, hex, toKey, utf8 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'

/** Address of the console: its name, `console.log`, after zeros. */
const CONSOLE = toKey(hex('000000000000000000636f6e736f6c652e6c6f67'))
const WORD = 32
const MAX_ARGUMENTS = 4
const MAX_PRINTED_BYTES = 16_384
/** Text that one execution prints by `console.log`. Unit: characters. Beyond: the rest is dropped, and one line says so. */
const MAX_PRINTED_TEXT = 262_144

const TYPES = ['uint256', 'string', 'bool', 'address'] as const

const selectorOf = (signature: string): number => {
  const hash = keccak256(utf8(signature))
  return ((hash[0]! << 24) | (hash[1]! << 16) | (hash[2]! << 8) | hash[3]!) >>> 0
}

/** Returns the argument types of every form of `log`, by selector. Old libraries write `uint` instead of `uint256`. */
function signatures(): ReadonlyMap<number, readonly string[]> {
  const table = new Map<number, readonly string[]>()
  const add = (name: string, types: readonly string[]) => {
    table.set(selectorOf(`${name}(${types.join()})`), types)
    table.set(selectorOf(`${name}(${types.join().replaceAll('uint256', 'uint')})`), types)
  }
  /** Bounded by: `MAX_ARGUMENTS`. */
  const grow = (types: readonly string[]) => {
    add('log', types)
    if (types.length < MAX_ARGUMENTS) for (const type of TYPES) grow([...types, type])
  }
  grow([])
  const single = ['int256', 'uint256', 'string', 'bool', 'address', 'bytes']
  for (const type of single) add(`log${type.replace('256', '').replace(/^./, (first) => first.toUpperCase())}`, [type])
  for (const types of [['int256'], ['string', 'int256'], ['bytes'], ['string', 'bytes']]) {
    add('log', types)
    table.set(selectorOf(`log(${types.join().replaceAll('int256', 'int')})`), types)
  }
  for (let length = 1; length <= WORD; length++) add(`logBytes${length}`, [`bytes${length}`])
  return table
}

const SIGNATURES = signatures()

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Returns the bytes at an offset of the arguments; empty if offset or length points outside. */
function dynamic(data: Uint8Array, head: Uint8Array): Uint8Array {
  const at = Number(decodeUint(head))
  if (at + WORD > data.length) return new Uint8Array(0)
  const length = Number(decodeUint(data.subarray(at, at + WORD)))
  return data.subarray(at + WORD, Math.min(at + WORD + length, at + WORD + MAX_PRINTED_BYTES, data.length))
}

function show(type: string, head: Uint8Array, data: Uint8Array): string {
  switch (type) {
    case 'uint256':
      return decodeUint(head).toString()
    case 'int256':
      return BigInt.asIntN(256, decodeUint(head)).toString()
    case 'bool':
      return decodeUint(head) === 0n ? 'false' : 'true'
    case 'address':
      return formatEip55(head.slice(12))
    case 'string':
      return text(dynamic(data, head))
    case 'bytes':
      return formatHex0x(dynamic(data, head))
    default:
      return formatHex0x(head.subarray(0, Number(type.slice('bytes'.length))))
  }
}

/** Returns the line that a call of the console prints; undefined for any other calldata. The text's `%s`, `%d` and others take the arguments after it. */
export function consoleText(calldata: Uint8Array): string | undefined {
  if (calldata.length < 4) return undefined
  const types = SIGNATURES.get(((calldata[0]! << 24) | (calldata[1]! << 16) | (calldata[2]! << 8) | calldata[3]!) >>> 0)
  const data = calldata.subarray(4)
  if (!types || data.length < types.length * WORD) return undefined
  const values = types.map((type, i) => show(type, data.subarray(i * WORD, (i + 1) * WORD), data))
  if (types[0] !== 'string' || !values[0]!.includes('%')) return values.join(' ')
  const rest = values.slice(1)
  const filled = values[0]!.replace(/%([sdifoOj%])/g, (found, letter: string) =>
    letter === '%' ? '%' : (rest.shift() ?? found),
  )
  return [filled, ...rest].join(' ')
}

/**
 * Returns a tracer that passes every printed line to `print`, also those of reverted calls. Beyond 262,144 characters it passes
 * one line that says so, and drops the rest.
 */
export function consoleTracer(print: (line: string) => void): Tracer {
  let left = MAX_PRINTED_TEXT
  return {
    callee: CONSOLE,
    enter({ input }) {
      if (left < 0) return
      const line = consoleText(input)
      if (line === undefined) return
      // An empty line takes room too.
      left -= line.length + 1
      print(left < 0 ? `the rest is dropped: an execution prints at most ${MAX_PRINTED_TEXT} characters` : line)
    },
  }
}
