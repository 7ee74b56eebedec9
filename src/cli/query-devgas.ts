/** `query devgas resolve ADDRESS`: the path that three operations share, as a client without flags asks it (devgas.md §4.2). */
import { type Command, Option } from 'commander'
import { addReadOptions, openNode, type ReadFlags } from './client.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import type { Terminal } from './terminal.ts'

interface Flags extends ReadFlags {
  readonly by?: string
}

/** Adds `resolve` beside the operations' own commands. */
export function addDevgasQueries(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('resolve <address>')
    .description('what is registered under an address: as a contract, else as a deployer, else as a withdrawer')
    .addOption(new Option('--by <role>', 'in this role alone').choices(['contract', 'deployer', 'withdrawer']))
  addReadOptions(command).action(async (address: string) => {
    const { by, height, output, ...node } = command.opts<Flags>()
    const format = parseOutputFormat(output)
    const path = `/chain/devgas/v1/fee_shares/${encodeURIComponent(address)}${by ? `?by=${by}` : ''}`
    terminal.print(formatOutput(await openNode(node).get(path, { height }), format))
  })
}
