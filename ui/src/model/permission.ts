/** The action that everything of the model builder takes. */
export const BUILD = 'plugin::content-type-builder.read'
