import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { NodeConfig } from '../src/index.ts'
import { resolveConfig } from '../src/node/config.ts'
import { ALL_SETTINGS, type SETTINGS } from '../src/node/settings.ts'
import { KINDS, OPTIONS_FILE, renderOptions } from './support/options.ts'

type Section = Exclude<keyof NodeConfig, 'home' | 'ports'>
/** Names of settings that are no option, and of options that are no setting. */
type Unlike = {
  [S in keyof typeof SETTINGS]: S extends Section
    ?
        | Exclude<keyof (typeof SETTINGS)[S], keyof NonNullable<NodeConfig[S]>>
        | Exclude<keyof NonNullable<NodeConfig[S]>, keyof (typeof SETTINGS)[S]>
    : S
}[keyof typeof SETTINGS]

test('docs/options.md is what the settings say; npm run limits writes it', () => {
  expect(readFileSync(OPTIONS_FILE, 'utf8')).toBe(renderOptions())
})

test('every setting is an option of its type, and every option a setting', () => {
  const unlike: Unlike[] = []
  const sections: readonly Exclude<Section, keyof typeof SETTINGS>[] = []
  expect([unlike, sections]).toEqual([[], []])
  for (const { name, setting } of ALL_SETTINGS) {
    const { section, key, kind, fallback, oneOf, min } = setting
    const { example } = KINDS[kind]
    const value = oneOf?.[0] ?? (kind === 'integer' ? Math.max(1, min ?? 0) : example)
    // The type of an option is that of its default, so that it admits what a program writes.
    expect([name, typeof value]).toEqual([name, typeof fallback])
    const { config, origins } = resolveConfig({ caller: { [section]: { [name]: value } } })
    expect((config as unknown as Record<string, Record<string, unknown>>)[section]![name]).toEqual(value)
    expect(origins.get(`${section}.${key}`)).toBe('caller')
    const wrong = { caller: { [section]: { [name]: Symbol.iterator } } } as never
    expect(() => resolveConfig(wrong), name).toThrow(`startNode: ${section}.${key} =`)
  }
})

test('the types of options admit what the page says', () => {
  const config: NodeConfig = {
    chain: { profile: 'almanac', accounts: 3, balance: 5n, fork: 'Cancun', votingPeriod: '30s' },
    blocks: { time: 'manual' },
    evm: { gasCap: 30_000_000n, timeout: '2s' },
    mempool: { locals: ['0x00000000000000000000000000000000000000aa'], maxBytes: '64MB' },
    upgrade: { skip: ['100'] },
    home: 'home',
    ports: false,
  }
  // @ts-expect-error: a wrong type does not compile.
  const wrong: NodeConfig = { evm: { gasCap: 'much' } }
  expect([config.evm?.gasCap, wrong.evm?.gasCap]).toEqual([30_000_000n, 'much'])
})
