import { expect, test } from 'vitest'
import { commandProgress, formatBar, formatBytes, formatTime, nodeOutput, reportProgress } from './progress.ts'

test('progress says how much, how fast, and how long the rest takes, once a second', () => {
  let now = 0
  const lines: string[] = []
  const report = reportProgress({ note: (line) => lines.push(line) }, 'copied', formatBytes, () => now)
  for (const [at, done] of [
    [500, 1e6],
    [2000, 40e6],
    [2500, 45e6],
    [4000, 100e6],
  ] as const) {
    now = at
    report(done, 100e6)
  }
  expect(lines).toEqual([
    'copied: 40.0 MB of 100.0 MB (40 %), 20.0 MB/s, 3 s left',
    'copied: 100.0 MB of 100.0 MB (100 %), 25.0 MB/s, 0 s left',
  ])
})

test('sizes and times have the unit that fits', () => {
  expect([0, 999, 1000, 1_500_000, 2e9, 3e15].map(formatBytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '1.5 MB',
    '2.0 GB',
    '3000.0 TB',
  ])
  expect([100, 61_000, 3_700_000].map(formatTime)).toEqual(['1 s', '1 min 1 s', '1 h 1 min'])
})

test('on a terminal a bar shows the same in one line, and is erased at the end', () => {
  let now = 0
  const lines: string[] = []
  const notes: string[] = []
  const terminal = { note: (line: string) => notes.push(line), redraw: (line: string) => lines.push(line), columns: 80 }
  const report = reportProgress(terminal, 'copied', formatBytes, () => now)
  for (const [at, done] of [
    [200, 1e6],
    [1000, 25e6],
    [1050, 26e6],
    [4000, 100e6],
  ] as const) {
    now = at
    report(done, 100e6)
  }
  expect(lines).toEqual(['copied ▕█████▊                 ▏ 25 %  25.0 MB of 100.0 MB, 25.0 MB/s, 3 s left', ''])
  expect(lines[0]).toHaveLength(79)
  expect(notes).toEqual([])
  expect([0, 0.5, 0.51, 2].map((share) => formatBar(share, 24))).toEqual([
    ' '.repeat(24),
    '█'.repeat(12) + ' '.repeat(12),
    `${'█'.repeat(12)}▎${' '.repeat(11)}`,
    '█'.repeat(24),
  ])
})

test('counts without a known end have the rate, and work that has not advanced has no remaining time', () => {
  let now = 0
  const lines: string[] = []
  const report = reportProgress({ note: (line) => lines.push(line) }, 'steps migrated', String, () => now)
  now = 2000
  report(0, 4, { keys: 7000 })
  now = 4000
  report(1, 4, { keys: 9000 })
  expect(lines).toEqual([
    'steps migrated: 0 of 4 (0 %), 7000 keys, 3500/s',
    'steps migrated: 1 of 4 (25 %), 9000 keys, 2250/s, 12 s left',
  ])
})

test('the log of a node is written above its bar', () => {
  const notes: string[] = []
  const terminal = { note: (line: string) => notes.push(line), redraw: () => {}, columns: 80 }
  nodeOutput(terminal, 'text')!.writeLog('a record\n')
  expect(notes).toEqual(['a record'])
})

test('the log shows the work of a node if programs read it, or if there is no terminal', () => {
  const terminal = { note: () => {}, redraw: () => {}, columns: 80 }
  expect(nodeOutput(terminal, 'json')).toBeUndefined()
  expect(nodeOutput({ note: () => {} }, 'text')).toBeUndefined()
  expect(nodeOutput(undefined, 'text')).toBeUndefined()
})

test('a bar of entries fits a terminal of 80 columns with its remaining time', () => {
  const drawn: string[] = []
  let now = 0
  const terminal = { note: () => {}, redraw: (line: string) => drawn.push(line), columns: 80 }
  const report = commandProgress(terminal, () => now)('entries imported')
  now = 10_000
  report(1_200_000, 6_000_000)
  expect(drawn).toEqual(['entries imported ▕██▊           ▏ 20 %  1200000 of 6000000, 120000/s, 40 s left'])
  expect(drawn[0]).toHaveLength(79)
})
