/** A public node behind Caddy with TLS, by the configuration of `deploy/`, with a certificate of this test. */
import { publicProxySuite } from './support/public-proxy.ts'

publicProxySuite('caddy')
