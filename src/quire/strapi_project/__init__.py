"""Reading what a Strapi project says in JavaScript and in its database, without running it."""
