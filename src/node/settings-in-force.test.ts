import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resolveConfig } from './config.ts'
import { parseConfigFile, renderEffective } from './config-file.ts'
import { diskFiles } from './files.ts'
import { homePaths } from './home-paths.ts'
import { settingsInForce } from './settings-in-force.ts'
import { startNode } from './start.ts'

const MNEMONIC = `${'abandon '.repeat(11)}about`

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'almanac-in-force-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function linesOf(home: string, flags: Readonly<Record<string, string>>): readonly string[] {
  const text = diskFiles.read(homePaths(home).config)
  const resolved = resolveConfig({ flags, ...(text !== undefined && { file: parseConfigFile(text) }) })
  return renderEffective(settingsInForce(resolved, homePaths(home), diskFiles)).split('\n')
}

test('the settings in force have what --public sets, unless it is given', () => {
  const flags = { public: 'true', dev: 'false', profile: 'nibiru', 'ws-api': 'eth' }
  const lines = linesOf(newHome(), flags)
  expect(lines).toContain('rate_limit = 50 # node.public')
  expect(lines).toContain('min_gas_price = "0.025unibi" # node.public')
  expect(lines).toContain('http_api = ["eth", "net", "web3"] # node.public')
  expect(lines).toContain('ws_api = ["eth"] # flag')
  expect(linesOf(newHome(), { ...flags, 'api-min-gas-price': '1unibi' })).toContain('min_gas_price = "1unibi" # flag')
  expect(linesOf(newHome(), {})).toContain('rate_limit = 0')
})

test('the settings in force have the choices of the home, and no secret', async () => {
  const home = newHome()
  const chain = { id: 'own-7', mnemonic: MNEMONIC, accounts: 3 }
  await (await startNode({ home, ports: false, chain, node: { dev: false } })).stop()
  diskFiles.remove(homePaths(home).config)
  const lines = linesOf(home, {})
  expect(lines).toContain('id = "own-7" # home.json')
  expect(lines).toContain('dev = false # home.json')
  expect(lines).toContain('mnemonic = "(secret)" # home.json')
  expect(lines.join('\n')).not.toContain('abandon')
  expect(() => linesOf(home, { 'chain-id': 'other-1' })).toThrow('began with chain.id = own-7')
})

test('the settings in force have no feeder under an engine', () => {
  const lines = linesOf(newHome(), { consensus: 'cometbft' })
  expect(lines.slice(lines.indexOf('[feeder]'))).toContain('enabled = false # consensus.engine')
})
