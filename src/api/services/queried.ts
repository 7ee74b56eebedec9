/** The services that answer queries, in every protocol. */
import type { DescService } from '@bufbuild/protobuf'
import { services } from '../../identity/registry.ts'

const NAMES: ReadonlySet<string> = new Set(['Query', 'Service', 'ReflectionService'])

/** Query and node services. `Msg` services are driven by transactions; health and reflection of gRPC exist only there. */
export const queriedServices: readonly DescService[] = services.filter(({ name }) => NAMES.has(name))
