"""The admin UIs of Quire and Strapi, driven through equal tasks on equal data."""
