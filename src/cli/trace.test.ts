import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { encodeTransaction } from '../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../evm/transaction/sender.ts'
import { EMPTY, formatHex0x, hex } from '../primitives/bytes.ts'
import { traceFixture } from './trace.ts'

const KEY = hex('11'.repeat(32))
const CONTRACT = '0xc0de000000000000000000000000000000000001'

/** Returns a Berlin fixture with a call of a contract that adds one and one. */
function fixture(changes: object = {}): object {
  const transaction = signTransaction(
    {
      type: 0,
      chainId: 1n,
      nonce: 0n,
      gasLimit: 30_000n,
      gasPriceWei: 1n,
      to: hex(CONTRACT.slice(2)),
      valueWei: 0n,
      data: EMPTY,
    },
    KEY,
  )
  return {
    genesis: {
      alloc: {
        [formatHex0x(addressOfPrivateKey(KEY))]: { balance: '0xffffffff' },
        [CONTRACT]: { balance: '0x0', code: '0x600160010100', nonce: '1', storage: {} },
      },
      config: { chainId: 1, homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0, berlinBlock: 0 },
    },
    context: { number: '7', difficulty: '1', timestamp: '9', gasLimit: '1000000', miner: `0x${'0'.repeat(40)}` },
    input: formatHex0x(encodeTransaction(transaction)),
    result: {},
    ...changes,
  }
}

function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'almanac-trace-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

test('a fixture is traced by a named tracer, by the struct logger without a name, or by a script', async () => {
  const script = '{n: 0, step: function() { this.n++ }, fault: function() {}, result: function() { return this.n }}'
  const root = folder({ 'f.json': JSON.stringify(fixture()), 'count.js': script })
  const file = join(root, 'f.json')
  const call = JSON.parse(await traceFixture(file, { tracer: 'callTracer' })) as object
  expect(call).toMatchObject({ gas: '0x7530', gasUsed: `0x${(21_009).toString(16)}`, to: CONTRACT })
  const struct = JSON.parse(await traceFixture(file, {})) as { structLogs: { op: string }[] }
  expect(struct.structLogs.map(({ op }) => op)).toEqual(['PUSH1', 'PUSH1', 'ADD', 'STOP'])
  expect(await traceFixture(file, { tracerFile: join(root, 'count.js') })).toBe('4')
  const both = await traceFixture(file, { tracer: 'muxTracer', tracerConfig: '{"noopTracer":{},"opcountTracer":null}' })
  expect(JSON.parse(both)).toEqual({ noopTracer: {}, opcountTracer: 4 })
})

test("--tracer-config overrides the fixture's own options", async () => {
  const text = JSON.stringify(fixture({ tracerConfig: { limit: 1 } }))
  const file = join(folder({ 'f.json': text }), 'f.json')
  expect(JSON.parse(await traceFixture(file, {}))).toMatchObject({ truncated: 'limit of 1 entries' })
  expect(JSON.parse(await traceFixture(file, { tracerConfig: '{}' }))).not.toHaveProperty('truncated')
})

test('an invalid fixture or option is an error that names it', async () => {
  const files = {
    'text.json': '{',
    'bare.json': '{}',
    'number.json': JSON.stringify(fixture({ context: { number: 'seven', timestamp: '0' } })),
    'tx.json': JSON.stringify(fixture({ input: '0x00' })),
    'good.json': JSON.stringify(fixture()),
  }
  const root = folder(files)
  const failure = (name: string, flags = {}) => traceFixture(join(root, name), flags)
  await expect(failure('absent.json')).rejects.toThrow('absent.json: cannot be read: ENOENT')
  await expect(failure('text.json')).rejects.toThrow(join(root, 'text.json'))
  await expect(failure('bare.json')).rejects.toThrow('genesis is not an object')
  await expect(failure('number.json')).rejects.toThrow('context.number is not a number')
  await expect(failure('tx.json')).rejects.toThrow('malformed transaction')
  await expect(failure('good.json', { tracer: 'myTracer' })).rejects.toThrow('unknown tracer myTracer')
  await expect(failure('good.json', { tracerConfig: '{' })).rejects.toThrow('--tracer-config')
  await expect(failure('good.json', { tracer: 'x', tracerFile: 'y' })).rejects.toThrow('not both')
})
