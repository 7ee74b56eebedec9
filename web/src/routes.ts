/** The pages of the console. A page is one line, and its code is loaded when it is first shown. */
import type { Route } from './router.tsx'

export const ROUTES: readonly Route[] = [
  { path: '/', title: 'Overview', load: () => import('./overview/page.tsx') },
  { path: '/blocks', title: 'Blocks', load: () => import('./blocks/list-page.tsx') },
  { path: '/block/:height', load: () => import('./blocks/block-page.tsx') },
  { path: '/tx/:hash', load: () => import('./tx/page.tsx') },
  { path: '/account/:address', load: () => import('./account/page.tsx') },
  { path: '/chain', title: 'Chain', load: () => import('./chain/page.tsx') },
  { path: '/chain/:section', load: () => import('./chain/page.tsx') },
  { path: '/chain/:section/:item*', load: () => import('./chain/page.tsx') },
  { path: '/time', title: 'Time', load: () => import('./time/page.tsx') },
  { path: '/development', title: 'Develop', load: () => import('./development/page.tsx'), isForDevelopment: true },
  { path: '/docs', title: 'API', load: () => import('./docs/page.tsx') },
  { path: '/docs/:operation*', load: () => import('./docs/page.tsx') },
]
