/** `almanac listen`: the listener plugin that a node of SDK 0.50 and later starts. */
import { resolve } from 'node:path'
import { Command } from 'commander'
import { HANDSHAKE, openListener } from '../node/listener/listener.ts'
import { queryError } from '../primitives/errors.ts'

/** Time between two looks whether the node that started this process still runs. Unit: milliseconds. */
const PARENT_MS = 1000
/** Time for the answer to the call that ends the process. Unit: milliseconds. */
const CLOSE_MS = 200

/** Writes the changes of each block into a folder until the node ends the process. Resolves to the exit code. */
export async function listen(args: readonly string[]): Promise<number> {
  const command = new Command('almanac listen')
    .description(
      'Receive the state changes of a node of SDK 0.50 and later, which starts this command as its plugin, and write them for `almanac follow`.',
    )
    .argument('<folder>', 'Folder that receives a file for each block: the --stream of the replica.')
    .exitOverride()
    .addHelpText(
      'after',
      `
The node starts it: set the variable COSMOS_SDK_ABCI of the node to the command line
  COSMOS_SDK_ABCI="almanac listen /data/changes"
and in its app.toml, section [streaming.abci], plugin = "abci" and keys = ["*"]. docs/follow.md has the rest.`,
    )
  command.parse([...args], { from: 'user' })
  const [folder = ''] = command.args
  if (process.env[HANDSHAKE.name] !== HANDSHAKE.value) {
    throw queryError(
      'failedPrecondition',
      'a node starts this command as its plugin, and nobody else: set COSMOS_SDK_ABCI of the node to it, and see `almanac listen --help`',
    )
  }
  // Once it has the handshake the node can end at any time.
  const parent = process.ppid
  const listener = await openListener(resolve(folder), () => undefined)
  process.stdout.write(`${listener.handshake}\n`)
  const watch = setInterval(() => {
    // A node that was killed ends nobody.
    if (process.ppid !== parent) process.exit(0)
  }, PARENT_MS)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
  await listener.ended
  clearInterval(watch)
  listener.close()
  // The node keeps its connection open.
  setTimeout(() => process.exit(0), CLOSE_MS).unref()
  return 0
}
