import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * Leaves out of a jar the classes of libraries that nothing refers to.
 *
 * <pre>java -cp asm.jar Used.java OUT.jar IN.jar LIBRARY/…</pre>
 *
 * <p>Every class whose name does not begin with a LIBRARY/ stays, with all classes that it mentions directly or
 * through others. A class counts as mentioned when its name is among another's constants: as a type, in a
 * signature or as a text, so that a class that is looked up by its name stays, too.
 *
 * <p>The annotation kotlin.Metadata is removed. It is for compilers and for Kotlin's own reflection; neither is on
 * the phone.
 */
public final class Used {
  private static final String METADATA = "Lkotlin/Metadata;";
  private static final Pattern TYPE = Pattern.compile("L([\\w/$]+)[;<]");
  private static final int TEXT = 1;

  public static void main(String[] arguments) throws IOException {
    SortedMap<String, byte[]> classes = read(Path.of(arguments[1]));
    Set<String> used = used(classes, List.of(arguments).subList(2, arguments.length));
    write(Path.of(arguments[0]), classes, used);
    System.out.println(used.size() + " of " + classes.size() + " classes are used");
  }

  private static SortedMap<String, byte[]> read(Path jar) throws IOException {
    SortedMap<String, byte[]> classes = new TreeMap<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : (Iterable<ZipEntry>) zip.stream().map(each -> (ZipEntry) each)::iterator) {
        ClassReader reader = new ClassReader(zip.getInputStream(entry).readAllBytes());
        classes.put(reader.getClassName(), withoutMetadata(reader));
      }
    }
    return classes;
  }

  private static byte[] withoutMetadata(ClassReader reader) {
    ClassWriter writer = new ClassWriter(0);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public AnnotationVisitor visitAnnotation(String type, boolean visible) {
            return type.equals(METADATA) ? null : super.visitAnnotation(type, visible);
          }
        },
        0);
    return writer.toByteArray();
  }

  private static Set<String> used(SortedMap<String, byte[]> classes, List<String> libraries) {
    Set<String> used = new HashSet<>();
    Deque<String> left = new ArrayDeque<>();
    for (String name : classes.keySet()) {
      if (libraries.stream().noneMatch(name::startsWith)) left.add(name);
    }
    while (!left.isEmpty()) {
      String name = left.remove();
      if (used.add(name)) addMentioned(new ClassReader(classes.get(name)), classes.keySet(), left);
    }
    return used;
  }

  private static void addMentioned(ClassReader reader, Set<String> known, Deque<String> left) {
    for (int item = 1; item < reader.getItemCount(); item++) {
      int at = reader.getItem(item);
      // A long or a double takes two places; the second is empty.
      if (at == 0 || reader.readByte(at - 1) != TEXT) continue;
      String text = text(reader, at);
      String name = text.replace('.', '/');
      if (known.contains(name)) left.add(name);
      for (Matcher type = TYPE.matcher(text); type.find(); ) {
        if (known.contains(type.group(1))) left.add(type.group(1));
      }
    }
  }

  private static String text(ClassReader reader, int at) {
    byte[] bytes = new byte[reader.readUnsignedShort(at)];
    for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) reader.readByte(at + 2 + i);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void write(Path jar, SortedMap<String, byte[]> classes, Set<String> used) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(file)) {
      for (String name : classes.keySet()) {
        if (!used.contains(name)) continue;
        ZipEntry entry = new ZipEntry(name + ".class");
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(classes.get(name));
      }
    }
  }
}
