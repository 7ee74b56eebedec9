/** The services that answer queries, in every protocol. */
import type { DescService } from '@bufbuild/protobuf'
import { servicesOf } from '../../identity/registry.ts'
import type { Identity } from '../../identity/types.ts'

const NAMES: ReadonlySet<string> = new Set(['Query', 'Service', 'ReflectionService'])

/**
 * Returns the query and node services of a chain. `Msg` services are driven by transactions; health and reflection of gRPC exist
 * only there.
 */
export const queriedServicesOf = (identity: Pick<Identity, 'behaviours'>): readonly DescService[] =>
  servicesOf(identity).filter(({ name }) => NAMES.has(name))
