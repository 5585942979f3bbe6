const PRESENCE = ['$null', '$notNull'] as const
export const TEXT = ['$containsi', '$notContainsi', '$eq', '$ne', '$startsWithi', '$endsWithi', '$in', ...PRESENCE] as const
export const LONG_TEXT = ['$containsi', '$notContainsi', '$startsWithi', '$endsWithi', ...PRESENCE] as const
export const ORDERED = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$between', ...PRESENCE] as const
export const CHOICE = ['$eq', '$ne', '$in', '$notIn', ...PRESENCE] as const
export const FLAG = ['$eq', '$ne', ...PRESENCE] as const
export const LINK = ['$in', '$notIn', ...PRESENCE] as const
export const PRESENT = PRESENCE
