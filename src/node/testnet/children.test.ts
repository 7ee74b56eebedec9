import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskFiles } from '../files.ts'
import { type NodeChild, startChild } from './children.ts'
import type { TestnetNode } from './manifest.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(`${tmpdir()}/almanac-children-`)
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

/** Starts a program in place of a node; it receives the arguments of `almanac start`. */
function start(program: string, onEnd: (child: NodeChild) => void = () => undefined): NodeChild {
  return startChild({
    index: 2,
    node: { home } as TestnetNode,
    command: [process.execPath, '-e', program],
    engine: '/opt/cometbft',
    files: diskFiles,
    onEnd,
  })
}

test('a node gets its home and engine, and its output goes to a file', async () => {
  const child = start('console.log(process.argv.slice(1).join(" ")); console.error("second")')
  await expect.poll(() => child.ended()).toBe('ended with exit code 0')
  expect(child.name).toBe('node2')
  expect(child.lastLines()).toEqual([`start --home ${home} --silent --engine /opt/cometbft`, 'second'])
})

test('the end of a node is reported once, with the last lines of its log if nothing killed it', async () => {
  const ends: (string | undefined)[] = []
  const failed = start('for (let i = 0; i < 9; i++) console.log(i); process.exitCode = 3', (child) =>
    ends.push(child.ended()),
  )
  await expect.poll(() => ends).toEqual(['ended with exit code 3'])
  expect(failed.lastLines()).toEqual(['6', '7', '8'])
  const killed = start('console.log("up"); setInterval(() => 0, 1000)', (child) => ends.push(child.ended()))
  process.kill(killed.pid!, 'SIGKILL')
  await expect.poll(() => ends).toHaveLength(2)
  expect(ends[1]).toBe('ended with SIGKILL')
  expect(killed.lastLines()).toEqual([])
})

test('a stop ends a node, and is no unexpected end', async () => {
  let reported = false
  const child = start(
    'process.on("SIGTERM", () => process.exit(0)); console.log("up"); setInterval(() => 0, 1000)',
    () => {
      reported = true
    },
  )
  await expect.poll(() => diskFiles.read(child.log)).toBe('up\n')
  await child.stop()
  expect(child.ended()).toBe('ended with exit code 0')
  expect(reported).toBe(false)
})

test('a long log of earlier starts is set aside, so that logs do not grow without end', async () => {
  const log = `${home}/node.log`
  writeFileSync(log, 'short\n')
  await expect.poll(start('console.log("second")').ended).toBeDefined()
  expect(diskFiles.read(log)).toBe('short\nsecond\n')
  expect(existsSync(`${log}.1`)).toBe(false)
  writeFileSync(log, Buffer.alloc(17_000_000, 0x61))
  await expect.poll(start('console.log("third")').ended).toBeDefined()
  expect(diskFiles.read(log)).toBe('third\n')
  expect(statSync(`${log}.1`).size).toBe(17_000_000)
})
