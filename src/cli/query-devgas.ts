/** `query devgas resolve ADDRESS`: queries the REST path that three operations share (docs/modules/devgas.md#queries). */
import { type Command, Option } from 'commander'
import { addReadOptions, openNode, type ReadFlags } from './client.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import type { Terminal } from './terminal.ts'

interface Flags extends ReadFlags {
  readonly by?: string
}

/** Adds `resolve` to the commands of the operations. */
export function addDevgasQueries(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('resolve <address>')
    .description('Show the fee shares of a contract, else of a deployer, else of a withdrawer')
    .addOption(
      new Option('--by <role>', 'query this role only (default: the first that matches)').choices([
        'contract',
        'deployer',
        'withdrawer',
      ]),
    )
  addReadOptions(command).action(async (address: string) => {
    const { by, height, output, ...node } = command.opts<Flags>()
    const format = parseOutputFormat(output)
    const path = `/chain/devgas/v1/fee_shares/${encodeURIComponent(address)}${by ? `?by=${by}` : ''}`
    terminal.print(formatOutput(await openNode(node).get(path, { height }), format))
  })
}
