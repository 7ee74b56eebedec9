/** Style sheets, which the bundler collects into one file. */
declare module '*.css'
