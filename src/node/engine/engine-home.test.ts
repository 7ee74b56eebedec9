import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { GenesisDocument } from '../../app/types.ts'
import { diskFiles } from '../files.ts'
import { prepareEngineHome, whyNotSigning } from './engine-home.ts'

test('a home that lost the record of signatures is refused, since a validator could sign twice', () => {
  const root = mkdtempSync(join(tmpdir(), 'almanac-engine-home-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const name of ['config.toml', 'genesis.json']) diskFiles.write(join(root, 'config', name), '')
  // A home that was prepared before needs no program.
  const prepare = () => prepareEngineHome('', root, {} as GenesisDocument, undefined, diskFiles)
  const path = join(root, 'data/priv_validator_state.json')
  expect(prepare).toThrow(`${path} is missing, which records what this validator has signed: put it back`)
  diskFiles.write(path, '{"height":"0","round":0,"step":0}')
  expect(prepare).not.toThrow()
})

test('a record of signatures at or above the first height of a chain without blocks is named, and one below is fine', () => {
  const root = mkdtempSync(join(tmpdir(), 'almanac-engine-home-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const why = (initialHeight: number) =>
    whyNotSigning(root, { initial_height: String(initialHeight) } as GenesisDocument, diskFiles)
  expect(why(1)).toBeUndefined()
  const path = join(root, 'data/priv_validator_state.json')
  diskFiles.write(path, '{"height": "40", "round": 0, "step": 3}')
  expect(why(41)).toBeUndefined()
  // An equal height is refused like a lower one.
  for (const height of [1, 40]) expect(why(height)).toContain(`none of the heights ${height} to 40.`)
  expect(why(40)).toContain('needs initial_height 41 or higher')
  diskFiles.write(path, '{}')
  expect(why(41)).toContain(`${path} has no height`)
  // The engine can know its own blocks: it replays what it signed.
  diskFiles.write(path, '{"height":"40"}')
  diskFiles.write(join(root, 'data/blockstore.db/CURRENT'), '')
  expect(why(40)).toBeUndefined()
})
