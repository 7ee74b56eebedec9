import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskFiles } from '../node/files.ts'
import { readRunFile } from '../node/run-file.ts'
import { startNode } from '../node/start.ts'
import { openNode } from './client.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'almanac-run-'))
})
afterEach(() => rmSync(home, { recursive: true }))

test('commands find the ports of the node that runs in a home, and forget them at its stop', async () => {
  const node = await startNode({ home })
  expect(readRunFile(home, diskFiles)).toMatchObject({ rest: node.urls.rest, comet: node.urls.comet })
  expect(openNode({ home }).url).toBe(node.urls.rest)
  expect(openNode({ home, node: 'http://127.0.0.1:9/' }).url).toBe('http://127.0.0.1:9')
  await node.stop()
  expect(existsSync(join(home, 'run.json'))).toBe(false)
  expect(openNode({ home }).url).toBe('http://127.0.0.1:1317')
})

test('the file of a killed node, and a damaged one, are not believed', async () => {
  const node = await startNode({ home })
  const text = readFileSync(join(home, 'run.json'), 'utf8')
  writeFileSync(join(home, 'run.json'), text.slice(0, 20))
  expect(readRunFile(home, diskFiles)).toBeUndefined()
  await node.stop()
  writeFileSync(join(home, 'run.json'), text)
  expect(readRunFile(home, diskFiles)).toBeUndefined()
})
