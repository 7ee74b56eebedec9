/** Every attack on a node with `--public` through nginx and through Caddy, a group at a time, with honest clients beside them. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type AttackName, GROUPS } from '../support/attacks/all.ts'
import { startHonest } from '../support/attacks/honest.ts'
import { startAttacks } from '../support/attacks/start.ts'
import { expectCleanStop, GROWTH_LIMIT_BYTES } from '../support/attacks/survive.ts'
import { freePort } from '../support/ports.ts'
import { startProcess } from '../support/process.ts'
import { findProgram } from '../support/programs.ts'
import { freePlainPorts, type ProxyName, START_PROXY, writeCertificate } from '../support/proxies.ts'

/** Duration of each group; 0 leaves the attacks out. */
const SECONDS = Number(process.env['TEST_PROXIED_SECONDS'] ?? 20)
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** With its other requests, a client that pauses so long stays below the limit of 50 requests a second. */
const READ_PAUSE_MS = 200
/** Time for the start of node and proxy, and for the preparation of attacks, which the limits slow. */
const AROUND_MS = 240_000

async function attackThrough(
  name: ProxyName,
  program: string,
  openssl: string,
  group: readonly AttackName[],
): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), `almanac-attacked-${name}-`))
  const mnemonic = join(scratch, 'mnemonic')
  writeFileSync(mnemonic, MNEMONIC, { mode: 0o600 })
  const own = ['--public', '--no-dev', '--mnemonic-file', mnemonic, '--trusted-proxies', '127.0.0.1']
  const node = await startProcess(['--home', join(scratch, 'home'), ...own, '--block-time', '1s'])
  writeCertificate(openssl, scratch)
  const plain = await freePlainPorts()
  const proxy = START_PROXY[name]({ program, node, tlsPort: await freePort(), plain, scratch })
  try {
    const url = (site: keyof typeof plain) => `http://127.0.0.1:${plain[site]}`
    await expect
      .poll(() =>
        fetch(`${url('rest')}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)
    const urls = { ...node.config.urls, rest: url('rest'), jsonrpc: url('evm'), comet: url('comet') }
    const config = {
      ...node.config,
      urls: { ...urls, ws: `ws://127.0.0.1:${plain.evm}`, grpc: `127.0.0.1:${plain.grpc}` },
    }
    const idleBytes = node.memoryByProcess()
    const attacks = await startAttacks({ config }, group)
    const honest = await startHonest(
      { config, memoryByProcess: node.memoryByProcess },
      { idleBytes, readPauseMs: READ_PAUSE_MS },
    )
    await wait(SECONDS * 1000)
    const report = await honest.stop()
    const counts = await attacks.stop()
    console.info(JSON.stringify({ name, report, counts }))
    expect(report.failures).toEqual([])
    expect(report.transfers.requests).toBeGreaterThan(0)
    expect(report.heads).toBeGreaterThan(0)
    expect(report.peakBytes).toBeLessThan(2 * GROWTH_LIMIT_BYTES)
    expect(proxy.exitCode).toBeNull()
    await expectCleanStop(node)
  } finally {
    proxy.kill('SIGTERM')
    if (proxy.exitCode === null) await once(proxy, 'exit')
    await node[Symbol.asyncDispose]()
    rmSync(scratch, { recursive: true, force: true })
  }
}

const openssl = findProgram(['openssl'], 'attacks through a proxy')
for (const name of ['nginx', 'caddy'] as const) {
  const program = findProgram([name], `attacks through ${name}`)
  test
    .runIf(program !== undefined && openssl !== undefined && SECONDS > 0)
    .each(GROUPS.map((group) => [group.join(', '), group] as const))(
    `these attacks through ${name} leave honest clients, blocks and memory of a public node unharmed: %s`,
    { timeout: SECONDS * 1000 + AROUND_MS },
    (_, group) => attackThrough(name, program!, openssl!, group),
  )
}
