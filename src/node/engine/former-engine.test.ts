import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskFiles } from '../files.ts'
import { endFormerEngine, enginePidFile } from './former-engine.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-former-'))
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

/** Starts a process that would run for a minute, with these arguments. */
function startProcess(...args: string[]) {
  return spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60_000)', ...args], { stdio: 'ignore' })
}

test('an engine that a killed node left behind is ended', async () => {
  const engine = startProcess('start', '--home', home, '--proxy_app', 'x')
  await once(engine, 'spawn')
  writeFileSync(enginePidFile(home), `${engine.pid}\n`)
  const lines: string[] = []
  const ended = once(engine, 'exit')
  await endFormerEngine(home, diskFiles, (_, message) => void lines.push(message))
  expect((await ended)[1]).toBe('SIGTERM')
  expect(existsSync(enginePidFile(home))).toBe(false)
  expect(lines).toEqual(['ending the engine that an earlier process of this home left behind'])
})

test('a process that has the id of the engine but another home goes on', async () => {
  const other = startProcess('start', '--home', `${home}-other`, '--proxy_app', 'x')
  await once(other, 'spawn')
  writeFileSync(enginePidFile(home), `${other.pid}\n`)
  await endFormerEngine(home, diskFiles, () => undefined)
  expect(other.exitCode).toBeNull()
  expect(other.signalCode).toBeNull()
  expect(existsSync(enginePidFile(home))).toBe(false)
  other.kill('SIGKILL')
})

test('a home without an engine is left as it is', async () => {
  writeFileSync(enginePidFile(home), 'no number')
  await endFormerEngine(home, diskFiles, () => undefined)
  expect(existsSync(enginePidFile(home))).toBe(false)
})
