import type { JsonValue } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { almanac, profile } from '../identity/profiles/almanac.ts'
import { sha256 } from '../primitives/hash.ts'
import { MAX_CODE_SIZE_LIMIT, MAX_EVM_CHAIN_ID, withChainConfig } from './chain-config.ts'
import { type LocalnetOptions, localnetGenesis } from './localnet.ts'
import type { GenesisDocument } from './types.ts'

const CHAIN_ID = 'almanac-localnet-1'

const documentOf = (more: Partial<LocalnetOptions> = {}): GenesisDocument =>
  localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: [{ address: sha256(Uint8Array.of(1)).slice(0, 20), balanceUnative: 10n ** 12n }],
    validators: [{ publicKey: sha256(Uint8Array.of(3)) }],
    ...more,
  })

/** Returns the document with another `chain_config`. */
function configured(chainConfig: JsonValue, name = 'chain_config'): GenesisDocument {
  const document = documentOf()
  const { chain_config: _, ...evm } = document.app_state['evm'] as Record<string, JsonValue>
  return { ...document, app_state: { ...document.app_state, evm: { ...evm, [name]: chainConfig } } }
}

test('a document without choices leaves the profile as it is', () => {
  expect(withChainConfig(profile, documentOf())).toEqual(profile)
  const { evm: _, ...others } = documentOf().app_state
  expect(withChainConfig(profile, { ...documentOf(), app_state: others })).toBe(profile)
  expect(withChainConfig(profile, configured(null))).toBe(profile)
})

test('the choices of a localnet come back from its document, each alone and all together', () => {
  const all = { codeSizeLimit: 50_000, allowsUnprotected: true, hasNoTxGasLimit: true } as const
  const [size, unprotected, gas] = Object.entries(all).map(([name, value]) => ({ [name]: value }))
  for (const evm of [size!, unprotected!, gas!, all]) {
    const found = withChainConfig(profile, documentOf({ evm }))
    expect([found.evm, found.evmChainIds]).toEqual([evm, profile.evmChainIds])
  }
  const found = withChainConfig(profile, documentOf({ evm: { ...all, chainId: 31_337n } }))
  expect([found.evm, found.evmChainIds[CHAIN_ID]]).toEqual([all, 31_337n])
  expect({ ...found, evm: undefined, evmChainIds: profile.evmChainIds }).toEqual({ ...profile, evm: undefined })
})

test('a document names the fields in snake or camel case', () => {
  const snake = withChainConfig(profile, configured({ chain_id: '7', code_size_limit: 30_000 }))
  expect(withChainConfig(profile, configured({ chainId: '7', codeSizeLimit: 30_000 }, 'chainConfig'))).toEqual(snake)
  expect([snake.evmChainIds[CHAIN_ID], snake.evm]).toEqual([7n, { codeSizeLimit: 30_000 }])
})

test('a value out of range, of another type or without a meaning is refused with its field', () => {
  const refuses = (chainConfig: JsonValue, field: string) =>
    expect(() => withChainConfig(profile, configured(chainConfig))).toThrow(field)
  refuses({ chain_id: (MAX_EVM_CHAIN_ID + 1n).toString() }, `evm.chain_config.chain_id ${MAX_EVM_CHAIN_ID + 1n}`)
  refuses({ code_size_limit: MAX_CODE_SIZE_LIMIT + 1 }, `evm.chain_config.code_size_limit ${MAX_CODE_SIZE_LIMIT + 1}`)
  refuses({ chain_id: 'seven' }, 'evm.chain_config')
  refuses({ chain_id: '-1' }, 'evm.chain_config')
  refuses({ allow_unprotected_txs: 'yes' }, 'evm.chain_config')
  refuses('Osaka', 'evm.chain_config')
})

test('the document of a localnet has the height of its first block', () => {
  expect([documentOf().initial_height, documentOf({ initialHeight: 100n }).initial_height]).toEqual(['1', '100'])
})
