/** The page of dependencies and the bill of materials, against the lock file and the build. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const script = (name: string): string => resolve(root, 'scripts', name)

interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: string }[]
}

test('every package that ships has a row, and was seven days old when it was taken', () => {
  const { stdout, status } = spawnSync(process.execPath, [script('dependencies.mjs'), '--check'], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, 'the table of dependencies is current\n'])
})

test('the command that takes a version takes none that is younger than seven days, and installation by the lock file works', () => {
  const { scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { scripts: { take: string } }
  expect(scripts.take).toMatch(/^npm install .*--min-release-age=7$/)
  // In the settings of the checkout the rule would make `npm ci` refuse versions that the lock file has.
  expect(readFileSync(resolve(root, '.npmrc'), 'utf8')).not.toContain('min-release-age')
})

test('the bill of materials has every package that ships with a digest, and none for development', () => {
  const text = execFileSync(process.execPath, [script('sbom.mjs')], { encoding: 'utf8', maxBuffer: 100_000_000 })
  const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: readonly Component[] }
  expect(bomFormat).toBe('CycloneDX')
  const urls = components.map(({ purl }) => decodeURIComponent(purl))
  expect(urls).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^pkg:npm\/lmdb@/),
      expect.stringMatching(/^pkg:npm\/@grpc\/grpc-js@/),
      expect.stringMatching(/^pkg:npm\/secp256k1@/),
    ]),
  )
  expect(urls.filter((url) => /vitest|elliptic|protobufjs|typescript/.test(url))).toEqual([])
  const withoutDigest = components.filter(({ hashes }) => !hashes?.some(({ alg }) => alg === 'SHA-512'))
  // The registry of the lock file does not serve these: see `test/lock-file.test.ts`.
  expect(withoutDigest.filter(({ name }) => !name.includes('msgpackr-extract-'))).toEqual([])
  expect(execFileSync(process.execPath, [script('sbom.mjs')], { encoding: 'utf8', maxBuffer: 100_000_000 })).toBe(text)
})
