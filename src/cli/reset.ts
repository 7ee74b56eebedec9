/** `almanac reset`: deletes the chain of a home, but keeps its settings and keyrings. */
import { join } from 'node:path'
import { Command } from 'commander'
import { ENGINE_CHAIN } from '../node/engine/engine-home.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { acquireLock } from '../node/lock.ts'
import { homeOf } from './settings.ts'

export async function reset(args: readonly string[]): Promise<number> {
  const command = new Command('almanac reset').exitOverride()
  command.description(
    'Delete the chain in a home: state, blocks, snapshots, genesis and validator key. config.toml and the keyrings remain.',
  )
  command.option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
  command.parse([...args], { from: 'user' })
  const paths = homePaths(homeOf(command.opts()['home']))
  if (!diskFiles.exists(paths.record) && !diskFiles.exists(paths.data)) {
    process.stdout.write(`no chain in ${paths.root}\n`)
    return 0
  }
  const release = acquireLock(paths.lock, diskFiles)
  for (const path of [paths.data, paths.snapshots, paths.genesis, paths.profile, paths.validatorKey, paths.record])
    diskFiles.remove(path)
  for (const path of ENGINE_CHAIN) diskFiles.remove(join(paths.engine, path))
  commentOutGenesis(paths.config)
  release()
  process.stdout.write(`deleted the chain in ${paths.root}\n`)
  return 0
}

/** Comments out the settings of section `[chain]`, so that they do not bind the next chain. Other settings stay. */
function commentOutGenesis(path: string): void {
  const text = diskFiles.read(path)
  if (text === undefined) return
  const lines = text.split('\n')
  let inChain = false
  const kept = lines.map((line) => {
    if (line.startsWith('[')) inChain = line.trim() === '[chain]'
    return inChain && /^\w+ *=/.test(line) ? `# ${line}` : line
  })
  diskFiles.write(path, kept.join('\n'))
}
