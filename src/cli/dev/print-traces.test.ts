import { expect, test } from 'vitest'
import { renderCall, type TracedCall } from './print-traces.ts'

const word = (byte: string) => `0x${byte.repeat(32)}`
const call = (more: Partial<TracedCall>): TracedCall => ({
  type: 'CALL',
  to: '0xaa',
  gasUsed: '0x5208',
  input: '0x',
  ...more,
})

test('a transfer is two lines', () => {
  expect(renderCall(call({ value: '0x7' }))).toEqual(['[21000] 0xaa::receive() {value: 7}', '  └─ ← [Stop]'])
})

test('an address has its checksum', () => {
  // From EIP-55.
  const to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  expect(renderCall(call({ to: to.toLowerCase() }))[0]).toBe(`[21000] ${to}::receive()`)
  const created = renderCall(call({ type: 'CREATE', to: to.toLowerCase() }))
  expect(created).toEqual([`[21000] → new ${to} [create]`, `  └─ ← [Return] ${to}: 0 bytes of code`])
})

test('calls and logs within a call are indented, in the order of their execution', () => {
  const inner = call({ type: 'STATICCALL', to: '0xbb', input: `0x70a08231${'00'.repeat(32)}`, output: word('11') })
  const failed = call({
    to: '0xcc',
    input: '0xdeadbeef',
    error: 'execution reverted',
    revertReason: 'too late',
    calls: [inner],
  })
  const outer = call({
    input: '0xa9059cbb',
    calls: [inner, failed],
    logs: [
      { topics: ['0x01'], data: '0x22', position: '0x1' },
      { topics: [], data: '0x', position: '0x2' },
    ],
  })
  expect(renderCall(outer)).toEqual([
    '[21000] 0xaa::0xa9059cbb()',
    `  ├─ [21000] 0xbb::0x70a08231(0x${'00'.repeat(32)}) [staticcall]`,
    `  │   └─ ← [Return] ${word('11')}`,
    '  ├─ emit log 0x01 data 0x22',
    '  ├─ [21000] 0xcc::0xdeadbeef()',
    `  │   ├─ [21000] 0xbb::0x70a08231(0x${'00'.repeat(32)}) [staticcall]`,
    `  │   │   └─ ← [Return] ${word('11')}`,
    '  │   └─ ← [Revert] too late',
    '  ├─ emit log',
    '  └─ ← [Stop]',
  ])
})

test('a reason that steers a terminal is shown with escapes', () => {
  const failed = call({ error: 'execution reverted', revertReason: '\u001b[2Jgone' })
  expect(renderCall(failed).at(-1)).toBe('  └─ ← [Revert] \\u001b[2Jgone')
})

test('a creation names its contract, and long bytes are cut', () => {
  const created = call({ type: 'CREATE2', to: '0xdd', input: '0x60', output: `0x${'fe'.repeat(300)}` })
  expect(renderCall(created)).toEqual(['[21000] → new 0xdd [create2]', '  └─ ← [Return] 0xdd: 300 bytes of code'])
  const long = renderCall(call({ input: `0x11223344${'55'.repeat(300)}`, output: `0x${'66'.repeat(257)}` }))
  expect(long[0]).toBe(`[21000] 0xaa::0x11223344(0x${'55'.repeat(256)}… (300 bytes))`)
  expect(long[1]).toBe(`  └─ ← [Return] 0x${'66'.repeat(256)}… (257 bytes)`)
  expect(renderCall(call({ error: 'out of gas' }))[1]).toBe('  └─ ← [Revert] out of gas')
})
