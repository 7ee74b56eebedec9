import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { assembleNode } from '../assembly.ts'
import { resolveConfig } from '../config.ts'

const MNEMONIC = `${'abandon '.repeat(11)}about`

afterEach(() => vi.unstubAllEnvs())

/** Starts a node with flags in a new home. Returns its error, and what is in the home. */
async function refused(flags: Readonly<Record<string, string>>, before: (home: string) => void = () => {}) {
  const home = mkdtempSync(join(tmpdir(), 'almanac-refused-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  before(home)
  const resolved = resolveConfig({ flags: { 'api-workers': '0', 'compute-workers': '0', ...flags } })
  const error = await assembleNode({ resolved, home, freePorts: true, log: () => {} }).then(
    async (node) => {
      await node.stop()
      return 'it started'
    },
    (reason: Error) => reason.message,
  )
  return { error, left: readdirSync(home) }
}

const own = { dev: 'false', mnemonic: MNEMONIC }

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['proxies', { 'trusted-proxies': 'nonsense' }, /^api\.trusted_proxies .* contains "nonsense"/],
  ['namespaces', { 'http-api': 'nonsense' }, /^--http-api: "nonsense" is not a namespace/],
  ['state sync', { 'state-sync': 'true' }, /^statesync\.enabled \(--state-sync\) needs --consensus cometbft/],
  [
    'an engine',
    { ...own, consensus: 'cometbft', engine: join(tmpdir(), 'no-engine') },
    /^--engine .*no-engine: no such file/,
  ],
  [
    'a snapshot',
    { consensus: 'follow', stream: '/nonexistent', rpc: 'http://127.0.0.1:1', snapshot: '/nonexistent/snapshot' },
    /^follow\.snapshot \(--snapshot\) is \/nonexistent\/snapshot: no such file or folder/,
  ],
])('a start refused for %s leaves nothing of its home', async (_, flags, reason) => {
  const { error, left } = await refused(flags)
  expect(error).toMatch(reason)
  expect(left).toEqual([])
})

test('a missing engine is named before the keys of a chain that it would run', async () => {
  vi.stubEnv('PATH', '/nonexistent')
  const { error, left } = await refused({ consensus: 'cometbft' })
  expect(error).toMatch(/^no cometbft on PATH/)
  expect(left).toEqual([])
})

test('a public node that is refused for an open keyring leaves nothing but it', async () => {
  const workers = { 'api-workers': '1', 'compute-workers': '1' }
  const { error, left } = await refused({ ...own, ...workers, public: 'true' }, (home) => {
    mkdirSync(join(home, 'keyring-test'))
    writeFileSync(join(home, 'keyring-test', 'a.json'), '{}')
  })
  expect(error).toContain('an open keyring')
  expect(left).toEqual(['keyring-test'])
})
