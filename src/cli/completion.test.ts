import { spawnSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { runCommand } from './commands.ts'

async function print(...words: readonly string[]): Promise<string> {
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  expect(await runCommand(words)).toBe(0)
  vi.restoreAllMocks()
  return printed.join('')
}

const offered = async (...words: readonly string[]) => (await print('__complete', ...words)).trim().split('\n')

test('commands, subcommands and flags are offered at their place', async () => {
  expect(await offered('')).toContain('query')
  expect(await offered('tx', 'ban')).toContain('bank')
  expect(await offered('tx', 'bank', '')).toContain('multi-send')
  expect(await offered('q', 'staking', '')).toContain('validator')
  expect(await offered('keys', 'add', '--mul')).toContain('--multisig-threshold')
  expect(await offered('config', '')).toEqual(['get', 'set'])
})

test('the script for bash completes a command line', async () => {
  const script = await print('completion', 'bash')
  const fake = 'almanac() { printf "bank\\nstaking\\n"; }'
  const typed = 'COMP_WORDS=(almanac tx ba); COMP_CWORD=2; _almanac; echo $COMPREPLY'
  const { stdout, stderr } = spawnSync('bash', ['-c', `${fake}\n${script}\n${typed}`], { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['bank\n', ''])
})
