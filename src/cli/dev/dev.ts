/** `almanac dev`: runs a development chain with the flags of anvil. */
import type { GatewayNode } from '../../api/gateway.ts'
import * as evm from '../../modules/evm/keeper.ts'
import type { AssembledNode } from '../../node/assembly.ts'
import { createLog } from '../../node/log.ts'
import { writeOutputFile } from '../output-file.ts'
import { bannerlessLog, runNode } from '../run-node.ts'
import { configOut, describeBlocks } from '../start.ts'
import { parseDevFlags } from './command.ts'
import { printBlocks, printingCall } from './print-traces.ts'
import { type DevChoices, resolveDev } from './resolve.ts'
import { type KeptState, keepStateFile, loadStateFile } from './state-file.ts'

/** Both ports of JSON-RPC are one here. */
const PORT_FLAGS = { 'jsonrpc.port': 'port', 'jsonrpc.ws_port': 'port' }

/** Runs a development chain until the process is stopped. The chain is temporary without `--home`. */
export async function dev(args: readonly string[]): Promise<number> {
  const { resolved, home, choices } = await resolveDev(parseDevFlags(args))
  const { config } = resolved
  const log = createLog({ ...config.log, write: (line) => process.stderr.write(line), now: Date.now })
  const print = (text: string): void => {
    if (config.log.format === 'json') log('info', 'calls', { text })
    else process.stdout.write(text)
  }
  const { assembleNode } = await import('../../node/assembly.ts')
  let kept: KeptState | undefined
  return runNode({
    open: (reactions) =>
      assembleNode({
        resolved,
        home,
        freePorts: false,
        portFlags: PORT_FLAGS,
        log,
        clock: () => Date.now() + choices.clockOffsetMs,
        amendments: (ctx) => [
          ...choices.amendments,
          ...choices.accounts.flatMap((account) => [...evm.amendmentsOf(ctx, account)]),
        ],
        ...(choices.printsTraces && { rpcMethods: { eth_call: printingCall(print) } }),
        async prepare(gateway) {
          applyChoices(gateway, choices)
          await loadStateFile({ gateway }, choices.stateFiles)
          if (choices.printsTraces) printBlocks(gateway, print)
        },
        ...reactions,
      }),
    logFormat: config.log.format,
    async announce(node) {
      kept = keepStateFile(node, choices.stateFiles)
      await announce(node, home, choices)
    },
    beforeStop: async () => kept?.end(),
  })
}

/** Applies the choices that development methods make. */
function applyChoices({ driver }: GatewayNode, { intervalMs, minGasPriceWei, logsPrints }: DevChoices): void {
  const development = driver.development!
  if (!logsPrints) development.setLogging(false)
  if (minGasPriceWei !== undefined) development.setMinGasPrice(minGasPriceWei)
  if (intervalMs !== undefined) development.setMining({ automine: true, intervalMs, everyMs: 0 })
}

/** Prints the banner, unless it is turned off, and writes the `--config-out` file. */
async function announce(node: AssembledNode, home: string | undefined, choices: DevChoices): Promise<void> {
  const { factsOf, renderDevBanner } = await import('./banner.ts')
  const { config } = node
  bannerlessLog(node)('info', 'started', { chain_id: node.chainId, height: node.height, home, ...node.urls })
  const facts = factsOf(node, {
    home,
    blocks:
      choices.intervalMs === undefined
        ? describeBlocks(node.timing)
        : `every ${choices.intervalMs / 1000} s, and when a transaction arrives`,
  })
  if (!config.node.silent && config.log.format !== 'json') process.stdout.write(renderDevBanner(facts))
  if (config.node.configOut === '') return
  const file = { ...facts.anvil, ...configOut(node) }
  writeOutputFile('--config-out', config.node.configOut, `${JSON.stringify(file, null, 2)}\n`, { secret: true })
}
