declare const configuration: { readonly forbidden: readonly { readonly name: string }[] };
export default configuration;
