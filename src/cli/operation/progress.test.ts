import { expect, test } from 'vitest'
import { formatBar, formatBytes, formatTime, reportProgress } from './progress.ts'

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
