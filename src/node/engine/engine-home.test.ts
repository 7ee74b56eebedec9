import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { GenesisDocument } from '../../app/types.ts'
import { diskFiles } from '../files.ts'
import { prepareEngineHome } from './engine-home.ts'

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
