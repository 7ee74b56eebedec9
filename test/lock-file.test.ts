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
}

const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

test('every package of the lock file has a digest, on every platform', () => {
  const without = Object.entries(lock.packages).filter(
    ([path, { integrity, link }]) => path !== '' && !link && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
  )
  expect(without.map(([path]) => path)).toEqual([])
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
