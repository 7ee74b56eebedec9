/** The contracts of these tests, compiled at run time. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import solc from 'solc'

const FILE = 'hostile.sol'

interface Compiled {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Record<
    string,
    Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>
  >
}

/** Compiles the contracts and returns their creation code by name. */
export function compile(): ReadonlyMap<string, Uint8Array> {
  const content = readFileSync(join(import.meta.dirname, FILE), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [FILE]: { content } },
    settings: {
      optimizer: { enabled: true },
      evmVersion: 'london',
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled
  const failed = errors.filter(({ severity }) => severity === 'error')
  if (failed.length > 0) throw new Error(failed.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return new Map(
    Object.entries(contracts[FILE]!).map(([name, { evm }]) => [
      name,
      new Uint8Array(Buffer.from(evm.bytecode.object, 'hex')),
    ]),
  )
}
