/** The application of tests and benchmarks. */
import { almanac } from '../identity/profiles/almanac.ts'
import type { Identity } from '../identity/types.ts'
import { createApplication } from './application.ts'
import type { Application } from './types.ts'

/** Creates an application that throws unexpected failures of transactions. By default its chain is `almanac-localnet-1`, without a minimum gas price. */
export function testApplication(
  options: { readonly identity?: Identity; readonly chainId?: string; readonly minGasPrices?: string } = {},
): Application {
  const { identity = almanac, chainId = 'almanac-localnet-1', minGasPrices = '' } = options
  return createApplication({
    identity,
    chainId,
    evmChainId: 6930n,
    settings: { minGasPrices },
    onBug(error) {
      throw error
    },
  })
}
