/** Calls, events and errors of contracts as text, by ABI. Loaded with the first page that decodes something. */
import {
  type Abi,
  type AbiParameter,
  decodeAbiParameters,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  toFunctionSelector,
} from 'viem'

export interface Decoded {
  readonly name: string
  readonly fields: readonly { readonly name: string; readonly type: string; readonly value: string }[]
}

/** Returns a decoded value as text; lists and tuples as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return value
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
}

function fieldsOf(parameters: readonly AbiParameter[], args: unknown): Decoded['fields'] {
  const values = Array.isArray(args)
    ? args
    : parameters.map(({ name }) => (args as Record<string, unknown>)?.[name ?? ''])
  return parameters.map(({ name, type }, i) => ({ name: name || String(i), type, value: textOf(values[i]) }))
}

/** Runs a decoder over ABIs. Returns the first success. */
function firstOf(abis: readonly Abi[], decode: (abi: Abi) => Decoded | undefined): Decoded | undefined {
  for (const abi of abis) {
    try {
      const found = decode(abi)
      if (found) return found
    } catch {
      // Another ABI can know it.
    }
  }
  return undefined
}

export function decodeCall(abis: readonly Abi[], data: Hex): Decoded | undefined {
  return firstOf(abis, (abi) => {
    const { functionName, args } = decodeFunctionData({ abi, data })
    const item = abi.find(
      (one) => one.type === 'function' && toFunctionSelector(one) === data.slice(0, 10).toLowerCase(),
    )
    return item?.type === 'function' ? { name: functionName, fields: fieldsOf(item.inputs, args ?? []) } : undefined
  })
}

export function decodeResult(abis: readonly Abi[], call: Hex, data: Hex): Decoded | undefined {
  return firstOf(abis, (abi) => {
    const { functionName } = decodeFunctionData({ abi, data: call })
    const item = abi.find(
      (one) => one.type === 'function' && toFunctionSelector(one) === call.slice(0, 10).toLowerCase(),
    )
    if (item?.type !== 'function') return undefined
    const values = item.outputs.length === 0 ? [] : decodeAbiParameters(item.outputs, data)
    return { name: functionName, fields: fieldsOf(item.outputs, values) }
  })
}

export function decodeLog(abis: readonly Abi[], topics: readonly Hex[], data: Hex): Decoded | undefined {
  return firstOf(abis, (abi) => {
    const { eventName, args } = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data })
    const item = abi.find((one) => one.type === 'event' && one.name === eventName)
    return item?.type === 'event' && eventName
      ? { name: eventName, fields: fieldsOf(item.inputs, args ?? []) }
      : undefined
  })
}

/** Decodes the data of a revert: the errors of ABIs, `Error(string)` and `Panic(uint256)`. */
export function decodeRevert(abis: readonly Abi[], data: Hex): Decoded | undefined {
  return firstOf([...abis, []], (abi) => {
    const { errorName, args, abiItem } = decodeErrorResult({ abi, data })
    return { name: errorName, fields: fieldsOf('inputs' in abiItem ? abiItem.inputs : [], args ?? []) }
  })
}

export type ContractFunction = Extract<Abi[number], { type: 'function' }>

/** Parses the texts of a form and encodes a call. Throws an `Error` that names the field. */
export function encodeCall(item: ContractFunction, texts: readonly string[]): Hex {
  const args = item.inputs.map((input, i) => parseArgument(input, texts[i] ?? ''))
  return encodeFunctionData({ abi: [item], functionName: item.name, args })
}

export function decodeOutput(item: ContractFunction, data: Hex): Decoded['fields'] {
  if (item.outputs.length === 0) return []
  const value = decodeFunctionResult({ abi: [item], functionName: item.name, data })
  return fieldsOf(item.outputs, item.outputs.length === 1 ? [value] : value)
}

function parseArgument(input: AbiParameter, text: string): unknown {
  const name = input.name || input.type
  const given = text.trim()
  if (input.type.endsWith(']') || input.type.startsWith('tuple')) {
    try {
      return JSON.parse(given)
    } catch {
      throw new Error(`${name}: ${input.type} is written as JSON, such as ["1", "2"]`)
    }
  }
  if (/^u?int/.test(input.type)) {
    if (!/^-?\d+$|^0x[0-9a-fA-F]+$/.test(given)) throw new Error(`${name}: an integer is expected, in base units`)
    return BigInt(given)
  }
  if (input.type === 'bool') {
    if (given !== 'true' && given !== 'false') throw new Error(`${name}: true or false is expected`)
    return given === 'true'
  }
  if (input.type === 'address' && !/^0x[0-9a-fA-F]{40}$/.test(given)) {
    throw new Error(`${name}: an address of 0x and 40 hexadecimal digits is expected`)
  }
  if (input.type.startsWith('bytes') && !/^0x([0-9a-fA-F]{2})*$/.test(given)) {
    throw new Error(`${name}: 0x and an even number of hexadecimal digits is expected`)
  }
  return input.type === 'string' ? text : given
}
