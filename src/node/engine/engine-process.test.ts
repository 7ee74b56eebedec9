import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskFiles } from '../files.ts'
import { createLog, moduleLog } from '../log.ts'
import { startEngineProcess } from './engine-process.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-engine-process-'))
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

/** Runs a program as the engine until it ends. Returns the lines of the node's log, without their times. */
function logOf(program: string, level: string, logsDebug: boolean): Promise<string[]> {
  const path = join(home, 'engine')
  writeFileSync(path, `#!/bin/sh\n${program}\n`)
  chmodSync(path, 0o755)
  const lines: string[] = []
  const write = (line: string): void => void lines.push(line.slice(13).trim())
  const log = moduleLog(createLog({ format: 'text', level, write, now: () => 0 }), 'engine')
  const [abci, rpc, p2p] = ['unix://a', 'tcp://127.0.0.1:0', 'tcp://127.0.0.1:0']
  const own = { path, home, abci, rpc, p2p, unsafeRpc: false, moniker: 'a', peers: '', intervalMs: undefined }
  return new Promise((resolve) => {
    startEngineProcess({
      ...own,
      stateSync: undefined,
      files: diskFiles,
      log,
      logsDebug,
      onExit: () => setTimeout(() => resolve(lines), 50),
    })
  })
}

const SAYS_LEVEL = `echo '{"level":"error","_msg":"level '$CMT_LOG_LEVEL'"}'`
const FINALIZES = `echo '{"level":"info","_msg":"finalizing","module":"consensus"}'`

test('an engine writes its ordinary lines only for a log that has them', async () => {
  expect(await logOf(SAYS_LEVEL, 'info', false)).toEqual(['error engine: level error'])
  expect(await logOf(SAYS_LEVEL, 'debug', true)).toEqual(['error engine: level info'])
})

test('the level of the module engine shows the ordinary lines of every part of it', async () => {
  expect(await logOf(FINALIZES, 'info,engine=debug', true)).toEqual(['debug engine: finalizing part=consensus'])
  expect(await logOf(FINALIZES, 'info', false)).toEqual([])
})
