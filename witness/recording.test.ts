import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRecording } from './recording.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recording-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

const ANSWER = JSON.stringify({ height: 1, path: '/x', status: 200, body: '{}' })

async function all<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = []
  for await (const line of lines) read.push(line)
  return read
}

test('a truncated recording is an error that names file and line', async () => {
  const whole = gzipSync(
    Array.from({ length: 2000 }, (_, i) => `${ANSWER.slice(0, -1)},"n":${Math.sin(i)}}`).join('\n'),
  )
  writeFileSync(join(folder, 'answers.jsonl.gz'), whole.subarray(0, whole.length / 2))
  await expect(all(openRecording(folder).answers())).rejects.toThrow(/answers\.jsonl\.gz, line \d+: /)
})

test('an error about invalid JSON or an invalid field names the line', async () => {
  writeFileSync(join(folder, 'answers.jsonl.gz'), gzipSync(`${ANSWER}\n{"path":"/x",`))
  await expect(all(openRecording(folder).answers())).rejects.toThrow(/answers\.jsonl\.gz, line 2: not JSON/)
  writeFileSync(join(folder, 'answers.jsonl.gz'), gzipSync(`${ANSWER}\n{"path":"/x","status":"200","body":""}`))
  await expect(all(openRecording(folder).answers())).rejects.toThrow('line 2: status must be number, but is string')
})

test('an error about a missing height names the line', async () => {
  const block = { hash: '', time: '', appHash: '', proposer: '', header: {}, evidence: [], txs: [], results: [] }
  const line = (height: number) => JSON.stringify({ ...block, height, beginBlockEvents: [], endBlockEvents: [] })
  writeFileSync(join(folder, 'blocks.jsonl.gz'), gzipSync(`${line(1)}\n${line(3)}\n`))
  writeFileSync(join(folder, 'README.md'), 'v2.11.0')
  await expect(all(openRecording(folder).blocks())).rejects.toThrow('line 2: height 3 follows 1')
})

test('a folder without a recording is an error', () => {
  expect(() => openRecording(folder)).toThrow('the folder is not a recording')
  expect(() => openRecording(join(folder, 'none'))).toThrow('the folder does not exist')
})
