import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { diskFiles } from './files.ts'
import { readUpgradeInfo, upgradeInfoPath, writeUpgradeInfo } from './upgrade-info.ts'

const home = mkdtempSync(join(tmpdir(), 'almanac-upgrade-info-'))
const data = join(home, 'data')
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A file without the field `info`, as the Cosmos SDK writes it for a plan without one. */
const WITHOUT_INFO = '{"name":"v2.0.0","time":"0001-01-01T00:00:00Z","height":123456}'

test('the file replaces an earlier one, is readable by its owner only, and is read back', () => {
  expect(readUpgradeInfo(data, diskFiles)).toEqual({ kind: 'missing' })
  writeUpgradeInfo(data, '{"name":"older","height":7}', diskFiles)
  writeUpgradeInfo(data, WITHOUT_INFO, diskFiles)
  expect(diskFiles.read(upgradeInfoPath(data))).toBe(WITHOUT_INFO)
  expect(readdirSync(data)).toEqual(['upgrade-info.json'])
  expect(statSync(upgradeInfoPath(data)).mode & 0o777).toBe(0o600)
  expect(readUpgradeInfo(data, diskFiles)).toEqual({
    kind: 'whole',
    upgrade: { name: 'v2.0.0', height: 123456n, info: '' },
  })
})

test('a file that is cut off, empty or of another kind is damaged, with the reason', () => {
  const reasonOf = (text: string) => {
    writeFileSync(upgradeInfoPath(data), text)
    const found = readUpgradeInfo(data, diskFiles)
    return found.kind === 'damaged' ? found.reason : found.kind
  }
  expect(reasonOf('')).toBe('the file is empty')
  expect(reasonOf(WITHOUT_INFO.slice(0, 30))).toContain('cut off')
  expect(reasonOf('[]')).toBe('not a JSON object')
  expect(reasonOf('{"height":5}')).toBe('name cannot be empty')
  expect(reasonOf('{"name":"v2"}')).toBe('height must be greater than 0')
  expect(reasonOf('{"name":"v2","height":1.5}')).toBe('height must be greater than 0')
  expect(reasonOf('{"name":"v2","height":"12"}')).toBe('whole')
  expect(reasonOf('{"name":"v2","height":12,"time":"2026-01-01T00:00:00Z"}')).toBe(
    'time-based upgrades have been deprecated in the SDK',
  )
})
