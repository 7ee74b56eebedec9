import { expect, test } from 'vitest'
import { resolveConfig } from './config.ts'
import { connectionLimit, openFilesLimit, warnOfFewDescriptors } from './descriptors.ts'

const { config } = resolveConfig({ caller: { api: { connections: 4000, workers: 2 }, compute: { workers: 1 } } })

test('connections leave descriptors for the store, the log and the workers, whatever the limit', () => {
  expect(connectionLimit(config, 20_000)).toBe(4000)
  expect(connectionLimit(config, 1024)).toBe(1024 - 128 - 36)
  expect(connectionLimit(config, 100)).toBe(16)
  expect(connectionLimit(config, undefined)).toBe(4000)
})

test('a limit that is too low for the settings is logged once with the number that they need', () => {
  const lines: unknown[] = []
  const log = (...record: unknown[]) => void lines.push(record)
  warnOfFewDescriptors(config, log, 20_000)
  expect(lines).toEqual([])
  warnOfFewDescriptors(config, log, 1024)
  expect(lines).toEqual([
    ['warn', expect.stringContaining('ulimit -n'), { limit: 1024, needed: 4000 + 128 + 36, accepted_connections: 860 }],
  ])
})

test.runIf(process.platform === 'linux')('the limit of this process is read', () => {
  expect(openFilesLimit()).toBeGreaterThan(0)
})
