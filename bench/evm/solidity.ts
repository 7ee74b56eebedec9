/** Compiles the contracts of the benchmarks. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { hex } from '../../src/primitives/bytes.ts'

interface Compiler {
  compile(input: string): string
}

interface Output {
  readonly errors?: readonly { severity: string; formattedMessage: string }[]
  readonly contracts?: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>
}

/** Returns the optimised runtime code of `bench/evm/Workloads.sol`. */
export function compileWorkloads(): Uint8Array {
  const solc = createRequire(import.meta.url)('solc') as Compiler
  const content = readFileSync(new URL('./Workloads.sol', import.meta.url), 'utf8')
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'Workloads.sol': { content } },
        settings: {
          optimizer: { enabled: true, runs: 10_000 },
          evmVersion: 'cancun',
          viaIR: true,
          outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
        },
      }),
    ),
  ) as Output
  const failure = output.errors?.find((error) => error.severity === 'error')
  if (failure) throw new Error(failure.formattedMessage)
  return hex(output.contracts!['Workloads.sol']!['Workloads']!.evm.deployedBytecode.object)
}
