import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startNode } from '../src/index.ts'
import { startProcess } from './support/process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-pipes-'))

test('after its output is closed a node continues and a command exits silently; slow readers get the whole output', async () => {
  const home = join(scratch, 'home')
  const node = await startProcess([
    '--home',
    home,
    '--accounts',
    '500',
    '--compute-workers',
    '0',
    '--log-level',
    'debug',
  ])
  node.child.stdout!.destroy()
  node.child.stderr!.destroy()
  // Logs its stop.
  await node.kill('SIGTERM')
  expect(await node.ended).toBe(0)

  const program = resolve(import.meta.dirname, '../bin/almanac')
  const piped = (reader: string) =>
    new Promise<string>((done) => {
      const command = `'${process.execPath}' '${program}' export --home '${home}' | ${reader}`
      execFile('sh', ['-c', command], (_, out, err) => done(out + err))
    })
  expect(await piped('head -c 1')).toBe('{')
  // More output than a pipe buffers, read late.
  const length = Number(await piped('(sleep 1; wc -c)'))
  expect(length).toBeGreaterThan(200_000)
  expect(Number(await piped('wc -c'))).toBe(length)
  expect(await piped('(sleep 1; tail -c 3)')).toBe('\n}\n')
  rmSync(scratch, { recursive: true })
})

test.skipIf(!existsSync('/dev/full'))(
  'a full disk behind the output is one line, and a transaction that was sent is named',
  async () => {
    await using node = await startNode()
    const home = mkdtempSync(join(tmpdir(), 'almanac-full-'))
    const run = (output: string, words: readonly string[]) =>
      new Promise<string>((done) => {
        const program = [process.execPath, resolve(import.meta.dirname, '../bin/almanac')]
        const line = [...program, ...words, '--home', home, '--keyring-backend', 'test']
          .map((word) => `'${word}'`)
          .join(' ')
        execFile('sh', ['-c', `${line} > ${output}; echo $? >&2`], (_, out, err) => done(out + err))
      })
    const mnemonic = join(home, 'words.txt')
    writeFileSync(mnemonic, node.mnemonic)
    const recovery = ['--recover', '--algo', 'eth_secp256k1', '--mnemonic-file', mnemonic]
    expect(await run('/dev/null', ['keys', 'add', 'alice', ...recovery])).toBe('0\n')
    const full = 'almanac: standard output: no space left on device\n1\n'
    expect(await run('/dev/full', ['keys', 'list'])).toBe(full)
    const target = node.accounts[1]!.bech32
    const sent = await run('/dev/full', [
      'tx',
      'bank',
      'send',
      'alice',
      target,
      '5unative',
      '-y',
      '--node',
      node.urls.rest,
    ])
    const [, hash] = /^the transaction ([0-9A-F]{64}) was sent: do not send it again$/m.exec(sent) ?? []
    expect(sent.endsWith(full)).toBe(true)
    expect(await node.query(`/sdk/tx/v1beta1/txs/${hash}`)).toMatchObject({ tx_response: { code: 0 } })
    rmSync(home, { recursive: true })
  },
)
