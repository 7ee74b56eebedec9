/** The application as tests and benchmarks run it. */
import { almanac } from '../identity/profiles/almanac.ts'
import type { Identity } from '../identity/types.ts'
import { createApplication } from './application.ts'
import type { Application } from './types.ts'

/** An application in which an unexpected failure of a transaction is thrown. By default of `almanac-localnet-1`, gas for free. */
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
