/** Contracts that can be deployed, out of artifacts of Hardhat and Foundry and the standard JSON of solc. */
import type { Abi } from 'viem'

export interface Deployable {
  readonly name: string
  readonly abi: Abi
  /** Creation code with `0x`. */
  readonly code: string
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Hardhat has the code as text, Foundry and solc in `object`. */
function codeOf(bytecode: unknown): string {
  const text = isObject(bytecode) ? bytecode['object'] : bytecode
  return typeof text === 'string' ? text.replace(/^0x/, '') : ''
}

function requireLinked(name: string, code: string): string {
  if (/__\$?[\w$]+/.test(code)) throw new Error(`${name} needs libraries: link it, then drop its artifact again.`)
  if (!/^([0-9a-fA-F]{2})+$/.test(code)) throw new Error(`${name} has a bytecode that is not hexadecimal.`)
  return `0x${code}`
}

/** Returns the contracts of a file that have creation code. Throws an `Error` that says what is wrong with the file. */
export function deployables(fileName: string, text: string): readonly Deployable[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Error(
      `${fileName} is no JSON. An artifact of Hardhat or Foundry, or the standard JSON output of solc, can be deployed.`,
    )
  }
  if (!isObject(json)) throw new Error(`${fileName} is no artifact: it has no object.`)
  const output = isObject(json['output']) ? json['output'] : json
  const listed = isObject(output['contracts'])
    ? Object.values(output['contracts']).flatMap((file) => (isObject(file) ? Object.entries(file) : []))
    : [[String(json['contractName'] ?? fileName.replace(/\.json$/, '')), json] as const]
  const found = listed.flatMap(([name, contract]): Deployable[] => {
    if (!isObject(contract) || !Array.isArray(contract['abi'])) return []
    const evm = isObject(contract['evm']) ? contract['evm'] : {}
    const code = codeOf(contract['bytecode'] ?? evm['bytecode'])
    return code === '' ? [] : [{ name, abi: contract['abi'] as unknown as Abi, code: requireLinked(name, code) }]
  })
  if (found.length === 0)
    throw new Error(
      `${fileName} has no contract with an ABI and creation code: interfaces and abstract contracts cannot be deployed.`,
    )
  return found
}
