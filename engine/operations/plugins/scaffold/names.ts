/** What a manifest takes for a name. */
export const NAME_PATTERN = /^[a-z][a-z0-9_]{0,63}$/;

/** A plugin's name in the spellings that its files need. */
export interface Names {
  readonly name: string;
  /** `TideTableInterface` */
  readonly title: string;
  /** The name in capitals, with the prefix that variables of documents have. */
  readonly variable: string;
  /** `chukwa-plugin-tide-table`: a package of that name is found once it is installed. */
  readonly package_name: string;
}

export function namesOf(name: string): Names {
  const words = name.split('_').filter((word) => word !== '');
  return {
    name,
    title: `${words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')}Interface`,
    variable: `CHUKWA_${name.toUpperCase()}_URL`,
    package_name: `chukwa-plugin-${words.join('-')}`,
  };
}
