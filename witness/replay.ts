/**
 * `npm run replay -- FOLDER [--json] [--verbose] [--block H]`: executes every block of a recording on its recorded parent
 * state and compares the writes. Exits with 1 if there is a difference that is not listed, and with 2 if it cannot run.
 */
import { parseArgs } from 'node:util'
import { reportProgress } from '../src/cli/operation/progress.ts'
import { processTerminal } from '../src/cli/terminal.ts'
import { evmChainIdOf } from '../src/identity/identity.ts'
import { identityOf } from '../src/identity/profiles.ts'
import { openRecording } from './recording.ts'
import { printReport } from './replay-report.ts'
import { replay } from './replay-run.ts'
import { createReplayApplication } from './substitutes.ts'

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, verbose: { type: 'boolean' }, block: { type: 'string' } },
  })
  const [folder] = positionals
  if (!folder || positionals.length > 1)
    throw new Error('usage: npm run replay -- FOLDER [--json] [--verbose] [--block H]')
  const recording = openRecording(folder)
  if (!recording.has('blocks')) {
    process.stdout.write(`${recording.name} contains no blocks to replay\n`)
    return 0
  }
  const identity = identityOf(recording.profile)
  const heights = (count: number) => `${Math.round(count)} blocks`
  const showProgress = reportProgress(processTerminal(), 'replayed', heights)
  const report = await replay(recording, {
    onHeight: (height) => recording.last && showProgress(height, recording.last),
    identity,
    createApp: (chainId, onBug) =>
      createReplayApplication({
        identity,
        chainId,
        evmChainId: recording.evmChainId ?? evmChainIdOf(identity, chainId),
        onBug,
      }),
    only: values.block === undefined ? undefined : Number(values.block),
  })
  printReport(report, { json: values.json === true, verbose: values.verbose === true }, (line) =>
    process.stdout.write(`${line}\n`),
  )
  return report.unlisted === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`replay: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
