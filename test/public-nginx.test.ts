/** A public node behind nginx with TLS, by the configuration of `deploy/`. */
import { publicProxySuite } from './support/public-proxy.ts'

publicProxySuite('nginx')
