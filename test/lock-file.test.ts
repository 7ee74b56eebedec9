/** The lock file: what it pins, and the advisories about it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** Packages of other platforms whose digest is not known here: the registry that made the lock file does not serve them. */
const WITHOUT_DIGEST = [
  ...['darwin-arm64', 'darwin-x64', 'linux-armv7', 'win32-arm64', 'win32-x64'].map((name) => `@bufbuild/buf-${name}`),
  ...['darwin-arm64', 'darwin-x64', 'linux-arm', 'win32-x64'].map(
    (name) => `@msgpackr-extract/msgpackr-extract-${name}`,
  ),
  ...[
    'android-arm-eabi',
    'android-arm64',
    'darwin-arm64',
    'darwin-x64',
    'freebsd-x64',
    'linux-arm-gnueabihf',
    'linux-arm-musleabihf',
    'linux-ppc64-gnu',
    'linux-riscv64-gnu',
    'linux-riscv64-musl',
    'linux-s390x-gnu',
    'openharmony-arm64',
    'win32-arm64-msvc',
    'win32-ia32-msvc',
    'win32-x64-msvc',
  ].map((name) => `@oxc-parser/binding-${name}`),
]

test('every package of the lock file has a digest, except for those of other platforms that are listed', () => {
  const without = Object.entries(lock.packages).filter(
    ([path, { integrity, link }]) => path !== '' && !link && !integrity,
  )
  expect(without.map(([path]) => path.replace(/^.*node_modules\//, '')).sort()).toEqual([...WITHOUT_DIGEST].sort())
  const isHere = ({ os, cpu }: LockedPackage): boolean =>
    (os?.includes('linux') ?? true) && (cpu?.some((one) => one === 'x64' || one === 'arm64') ?? true)
  expect(without.filter(([, found]) => isHere(found))).toEqual([])
})

/** Runs the audit against a registry. Resolves with its exit status and output. */
async function audit(registry: string): Promise<{ readonly status: number; readonly output: string }> {
  const program = resolve(import.meta.dirname, '../scripts/audit.mjs')
  const child = spawn(process.execPath, [program], { env: { ...process.env, npm_config_registry: registry } })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  const [status] = await once(child, 'close')
  return { status, output }
}

test('the audit asks for every package that ships, fails on an advisory, and says if none can be known', async () => {
  let status = 200
  let asked: Record<string, string[]> = {}
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    asked = JSON.parse(text)
    const ws = [{ severity: 'high', title: 'a flaw', url: 'https://a.example/1', vulnerable_versions: '<99' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ ws }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const registry = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
  const failed = await audit(registry)
  expect([failed.status, failed.output]).toEqual([
    1,
    expect.stringContaining('ws <99: high, a flaw (https://a.example/1)'),
  ])
  expect(Object.keys(asked)).toEqual(expect.arrayContaining(['ws', 'lmdb', '@grpc/grpc-js']))
  expect(asked['ws']).toEqual([lock.packages['node_modules/ws']!.version])
  expect(asked).not.toHaveProperty('vitest')
  status = 405
  expect(await audit(registry)).toEqual({ status: 0, output: expect.stringContaining('not known: ') })
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
  expect(await audit(registry)).toEqual({ status: 0, output: expect.stringContaining('ECONNREFUSED') })
})
