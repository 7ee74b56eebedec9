/** `almanac statetest`: runs public Ethereum state tests under the rules of a fork. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { FORK_NAMES, type ForkName, parseFork } from '../evm/forks.ts'
import { type Json, parseFixtures } from '../evm/statetest/fixture.ts'
import { runFixture } from '../evm/statetest/run.ts'
import { queryError } from '../primitives/errors.ts'

/** Runs `statetest --fork NAME PATH...`. Returns the exit code. */
export async function statetest(args: readonly string[]): Promise<number> {
  const command = new Command('almanac statetest')
    .description('Run public Ethereum state tests and print one JSON line for each post entry of the fork.')
    .requiredOption('--fork <name>', 'name of the fork in the tests, Frontier to Osaka')
    .argument('<path...>', 'test files, or folders to search for .json files')
    .exitOverride()
    .parse([...args], { from: 'user' })
  const { fork } = command.opts<{ fork: string }>()
  for (const line of statetestLines(requireFork(fork), command.args)) process.stdout.write(`${line}\n`)
  return 0
}

/** Returns the fork of a name. Throws `invalidArgument` that lists the names. */
export function requireFork(name: string): ForkName {
  const fork = parseFork(name)
  if (!fork) throw queryError('invalidArgument', `unknown fork ${name}: must be one of ${FORK_NAMES.join(', ')}`)
  return fork
}

/**
 * Yields a JSON line for each post entry of the fork in the files, in the order of paths. Throws an error that names a file it
 * cannot read.
 */
export function* statetestLines(fork: ForkName, paths: readonly string[]): Generator<string> {
  for (const file of paths.flatMap(jsonFiles)) {
    for (const fixture of parseFixtures(readJson(file))) {
      for (const result of runFixture(fixture, fork)) yield JSON.stringify(result)
    }
  }
}

function jsonFiles(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw queryError('notFound', `no such file or folder: ${path}`)
  if (!stat.isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => join(path, name))
}

function readJson(file: string): Json {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Json
  } catch (error) {
    throw queryError('invalidArgument', `${file}: ${(error as Error).message}`)
  }
}
